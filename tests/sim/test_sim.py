#!/usr/bin/env python3
"""`cox sim` as people use it: scenarios in, tables, JSON and pages out.

What the program says is worked out again here from its list of placements: capacity over time, sums, waiting times, gangs.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from lib.cox import COX, ROOT, tap  # noqa: E402

EXAMPLES = sorted((ROOT / "examples" / "sim").glob("*.yaml"))
SCENARIOS = [p for p in EXAMPLES if "profile" not in p.name]


class Folder:
    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="cox-sim-")
        self.path = pathlib.Path(self.temporary.name)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def file(self, name, text):
        path = self.path / name
        path.write_text(text)
        return str(path)


def cox(*args, env=None):
    return subprocess.run([COX, "sim", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, env={**os.environ, **(env or {})})


def run_json(*args):
    done = cox(*args, "--json")
    if done.returncode:
        raise RuntimeError(f"{args}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def end_of(placement, run):
    return run["end"] if placement["to"] is None else placement["to"]


def over_capacity(run):
    """Sentences about nodes that ever held more than they have; from the placements alone."""
    bad = []
    capacity = {n["name"]: n["capacity"] for n in run["nodes"]}
    steps = {}
    for p in run["placements"]:
        if end_of(p, run) <= p["from"]:
            continue
        for time, sign in ((p["from"], 1), (end_of(p, run), -1)):
            steps.setdefault(p["node"], []).append((time, sign, p))
    for node, list_of in steps.items():
        held = {"cpu": 0, "memory": 0, "gpu": 0}
        devices = {}
        for time, sign, p in sorted(list_of, key=lambda s: (s[0], s[1])):
            for what in held:
                held[what] += sign * p.get(what, 0)
                if held[what] > capacity[node][what]:
                    bad.append(f"{node} at {time}: {what} {held[what]} of {capacity[node][what]}")
            for device in p.get("devices", []):
                devices[device] = devices.get(device, 0) + sign * p["gpu"] // len(p["devices"])
                if devices[device] > 1000:
                    bad.append(f"{node} at {time}: device {device} has {devices[device]} of 1000")
    return bad


def mean_used(run, what):
    """Amount times seconds used by what there is over the whole time."""
    used = sum(p.get(what, 0) * (end_of(p, run) - p["from"]) for p in run["placements"])
    there = sum(n["capacity"][what] * ((run["end"] if n["removed"] is None else n["removed"]) - n["added"]) for n in run["nodes"])
    return used / there if there else 0


def waits(run):
    return sorted(p["start"] - p["arrival"] for p in run["pods"] if p["start"] is not None)


def percentile(values, share):
    return values[max(0, -(-int(share * 1000) * len(values) // 1000) - 1)] if values else 0


def check_run(name, run):
    summary = run["summary"]
    tap.eq(f"{name}: no node is over its capacity", over_capacity(run), [])
    states = [p["state"] for p in run["pods"]]
    counted = {s: states.count(s) for s in ("pending", "done", "dropped")}
    tap.eq(f"{name}: pods are counted", counted, {s: summary[s] for s in counted})
    tap.eq(f"{name}: all placed pods have a placement", len({p["pod"] for p in run["placements"]}), summary["placed"])
    for what in ("cpu", "memory", "gpu"):
        if what in summary["used"] and run["end"]:
            have, want = summary["used"][what]["mean"], mean_used(run, what)
            tap.ok(f"{name}: {what} used on average", abs(have - want) < 1e-5, f"have {have}, want {want}")
    list_of = waits(run)
    have = [summary["waiting"][k] for k in ("p50", "p99", "max")]
    want = [percentile(list_of, 0.5), percentile(list_of, 0.99), list_of[-1] if list_of else 0]
    tap.ok(f"{name}: waiting times", all(abs(h - w) < 1e-3 for h, w in zip(have, want)), f"have {have}, want {want}")
    lengths = {len(run["series"][k]) for k in ("time", "waiting", "running", "nodes", "fragmentation")} | {len(v) for v in run["series"]["used"].values()}
    tap.eq(f"{name}: series are of one length", len(lengths), 1)
    tap.ok(f"{name}: shares are shares", all(0 <= v <= 1.0001 for k in run["series"]["used"].values() for v in k) and all(0 <= v <= 1.0001 for v in run["series"]["fragmentation"]))
    tap.ok(f"{name}: what waits has a reason", len(run["pending"]) + run.get("pendingNotExplained", 0) > 0 if summary["pending"] else not run["pending"])
    for p in run["pending"]:
        if not re.search(r"\d+/\d+ nodes fit|members|gate|leav|fits", p["sentence"]):
            tap.ok(f"{name}: the reason is a sentence", False, p["sentence"])


def examples():
    tap.ok("there are examples", len(SCENARIOS) >= 3, EXAMPLES)
    for path in SCENARIOS:
        check_run(path.name, run_json(path))


def random_scenarios():
    for seed in range(1, 9):
        rng = random.Random(seed)
        jobs = "".join(
            f"- {{name: j{i}, count: {rng.randint(1, 30)}, arrival: {rng.choice(['0s', '{every: 40s}', '{poisson: 2/m}', '{burst: {size: 4, every: 5m}}'])}, "
            f"duration: {rng.choice(['3m', '{uniform: [30s, 20m]}', '{exponential: 5m}'])}, replicas: {rng.randint(1, 5)}, priority: {rng.randint(0, 2)}, "
            f"requests: {{cpu: {rng.choice(['500m', '1', '3'])}, memory: {rng.choice(['1Gi', '4Gi'])}{rng.choice(['', ', gpu: 1', ', gpu: 2', ', gpuFraction: 0.4'])}}}}}\n"
            for i in range(5))
        text = f"grace: {rng.randint(0, 40)}s\nnodes:\n- {{name: g, count: {rng.randint(1, 5)}, cpu: 16, memory: 64Gi, gpus: 4, zones: 2}}\n- {{name: c, count: 2, cpu: 8, memory: 16Gi}}\n" \
               f"jobs:\n{jobs}events: [{{at: 5m, remove: c-0}}, {{at: 8m, add: {{template: g, count: 2}}}}]\n"
        with Folder() as f:
            path = f.file("random.yaml", text)
            run = run_json(path, "--seed", seed)
            check_run(f"random {seed}", run)
            gangs = {}
            for p in run["pods"]:
                gangs.setdefault(p["job"], []).append(p["start"])
            tap.eq(f"random {seed}: gangs start whole", [j for j, starts in gangs.items() if len(set(starts)) > 1], [])


def order_and_time():
    with Folder() as f:
        path = f.file("queue.yaml", "name: queue\nnodes: [{name: a, cpu: 2}]\njobs:\n- {name: j, count: 4, duration: 60s, requests: {cpu: 2}}\n- {name: vip, arrival: 30s, duration: 10s, priority: 5, neverPreempts: true, requests: {cpu: 2}}\n")
        run = run_json(path)
        start = {p["name"]: p["start"] for p in run["pods"]}
        tap.eq("first come, first served, but the higher priority before", [start["j-0"], start["vip"]], [0, 60])
        tap.eq("each starts when the one before ends", sorted(start.values()), [0, 60, 70, 130, 190])
        tap.eq("and so it ends", run["end"], 250)
        tap.eq("--until stops it", run_json(path, "--until", "100s")["summary"]["pending"], 2)


def same_seed_same_bytes():
    path = SCENARIOS[0]
    with Folder() as f:
        pages = [str(f.path / n) for n in ("a.html", "b.html")]
        out = [cox(path, "--json", "--html", p).stdout for p in pages]
        tap.ok("the same seed gives the same JSON", out[0] == out[1] and len(out[0]) > 1000)
        tap.ok("and the same page", open(pages[0]).read() == open(pages[1]).read())
        tap.ok("another seed gives another", cox(path, "--json", "--seed", "99").stdout != out[0])
        tap.ok("--timing tells the time", "decisionsPerSecond" in cox(path, "--json", "--timing").stdout and "decisionsPerSecond" not in out[0])


def pages():
    with Folder() as f:
        for path in SCENARIOS[:2]:
            for extra in ([], ["--compare", "default,binpack"]):
                page = f.path / "page.html"
                done = cox(path, "--html", page, *extra)
                tap.eq(f"{path.name} {extra}: exit", done.returncode, 0)
                text = page.read_text()
                root = ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
                svgs = root.findall(".//svg")
                tap.ok(f"{path.name} {extra}: five plots or more", len(svgs) >= 5, len(svgs))
                tap.ok(f"{path.name} {extra}: every line has points", all("L" in p.get("d") or len(p.get("d")) > 3 for p in root.findall(".//path")))
                tap.ok(f"{path.name} {extra}: nothing from elsewhere", not re.search(r"https?:|<script|<link|src=|url\(|@import", text))
                numbers = [float(v) for e in root.iter() for k in ("x", "y", "x1", "y1", "width", "height") if (v := e.get(k)) and re.fullmatch(r"-?[\d.]+", v)]
                tap.ok(f"{path.name} {extra}: all within the picture", numbers and min(numbers) >= -1 and max(numbers) <= 2000, (min(numbers), max(numbers)))
                tap.ok(f"{path.name} {extra}: no number that is none", "nan" not in text.lower())


def profiles():
    with Folder() as f:
        f.file("mine.yaml", "name: mine\nbase: default\nplugins: {NodeResourcesFit: {weight: 1, args: {scoringStrategy: {type: MostAllocated}}}, NodeResourcesBalancedAllocation: off}\n")
        text = "nodes: [{name: a, count: 4, cpu: 8}]\njobs: [{name: j, count: 4, requests: {cpu: 1}}]\n"
        beside = f.file("beside.yaml", "profile: mine.yaml\n" + text)
        plain = f.file("plain.yaml", text)
        nodes = lambda run: len({p["node"] for p in run["placements"]})
        tap.eq("the default spreads", nodes(run_json(plain)), 4)
        tap.eq("a profile beside the scenario packs", nodes(run_json(beside)), 1)
        mine = str(f.path / "mine.yaml")
        both = run_json(plain, "--compare", f"default,{mine}")["runs"]
        tap.eq("files are compared, too", [(r["profile"], nodes(r)) for r in both], [("default", 4), (mine, 1)])
        bad = f.file("bad.yaml", "name: x\nplugins: {Nonsense: {weight: 1}}\n")
        done = cox(plain, "--profile", bad)
        tap.ok("a bad profile has a sentence", done.returncode == 1 and done.stderr.startswith(f"error: {bad}:2: ") and "Nonsense" in done.stderr, done.stderr)


def comparing():
    path = SCENARIOS[0]
    both = run_json(path, "--compare", "default,binpack")["runs"]
    tap.eq("profiles side by side", [r["profile"] for r in both], ["default", "binpack"])
    tap.eq("the same workload for both", *[[(p["name"], p["arrival"]) for p in r["pods"]] for r in both])
    alone = run_json(path, "--profile", "binpack")
    tap.eq("compared or alone: the same", both[1]["placements"], alone["placements"])
    table = cox(path, "--compare", "default,binpack").stdout
    tap.ok("a column for each", re.search(r"^ +default +binpack$", table, re.M), table)


ERRORS = [
    ("nodes:\n- name: a\n  cpu: 4x\n", 'FILE:3: nodes[0].cpu: "4x" is no quantity such as 4, 500m or 2.5'),
    ("nodes: [{name: a}]\njobs:\n- name: x\n- name: z\n  requests:\n    cpu: 1\n    gpus: 2\n", "FILE:7: jobs[1].requests.gpus: there is no such field; did you mean gpu?"),
    ("nodes: [{name: a}]\njobs:\n- {name: x, replicas: 0}\n", "FILE:3: jobs[0].replicas: 0 is too small, at least 1 is needed"),
    ("nodes: [{name: a}\njobs: []\n", "FILE:2: did not find expected ',' or ']'"),
    ("jobs: []\n", "FILE:1: nodes: a cluster needs at least one node"),
    ("nodes: [{name: a}]\nevents:\n- {at: 5s, remove: b}\n", 'FILE:3: events[0]: at 5s there is no node "b"'),
    ("profile: nowhere.yaml\nnodes: [{name: a}]\n", 'FILE:1: profile: there is no profile "nowhere.yaml": it is neither default, binpack, spread or gpu-packing nor a file'),
]


def bad_input():
    with Folder() as f:
        for i, (text, want) in enumerate(ERRORS):
            path = f.file(f"bad{i}.yaml", text)
            done = cox(path)
            tap.eq(f"error {i}", (done.returncode, done.stdout, done.stderr), (1, "", "error: " + want.replace("FILE", path) + "\n"))
        good = f.file("good.yaml", "nodes: [{name: a}]\n")
        for args, want in [([good, "--what-if", "gang: {replicas: x}"], 'error: --what-if:1: gang.replicas: "x" is no whole number\n'),
                           ([f.path / "none.yaml"], "none.yaml"), (["perf", "Nonsense"], 'there is no workload "Nonsense"'), (["dump", good], "kind: is missing"),
                           ([good, "--profile", good], "good.yaml"), ([good, "--until", "x"], 'invalid argument "x" for "--until" flag')]:
            done = cox(*args)
            tap.ok(f"error of {args[-1]}", done.returncode == 1 and want in done.stderr and not done.stdout, done.stderr)


def what_if():
    with Folder() as f:
        path = f.file("busy.yaml", "name: busy\ngrace: 10s\nnodes: [{name: a, count: 2, cpu: 4}, {name: tiny, cpu: 1}]\njobs:\n- {name: low, count: 2, duration: 100s, requests: {cpu: 3}}\n")
        ask = lambda q, *more: run_json(path, "--at", "20s", "--what-if", q, *more)["whatIf"]
        x = ask("gang: {replicas: 2, requests: {cpu: 1}}")
        tap.eq("fits now", (x["fitsNow"], x["start"], len(x["places"])), (True, 20, 2))
        x = ask("gang: {replicas: 4, requests: {cpu: 2}}")
        tap.eq("later", (x["fitsNow"], x["start"], x["evictions"], len(x["victims"])), (False, 100, "with the highest priority", 2))
        tap.eq("nodes needed", x["nodesNeeded"], [{"template": "a", "count": 2}, {"template": "tiny", "count": None}])
        x = ask("gang: {replicas: 4, priority: 3, requests: {cpu: 2}}")
        tap.eq("with evictions", (x["start"], x["evictions"], sorted(v["pod"] for v in x["victims"])), (30, "possible", ["low-0", "low-1"]))
        manifest = f.file("job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum}\nspec:\n  parallelism: 5\n  template:\n    spec:\n      containers:\n"
                                      "      - {name: c, image: img, resources: {requests: {cpu: '2'}}}\n")
        x = ask(manifest)
        tap.eq("a manifest in a file", (x["job"], x["pods"], x["fitsNow"], x["start"]), ("sum", 5, False, None))
        table = cox(path, "--at", "20s", "--what-if", "gang: {replicas: 4, requests: {cpu: 2}}").stdout
        tap.ok("in words", re.search(r"^starts +at 1m40s, after waiting 1m20s$", table, re.M) and re.search(r"^nodes needed +2 more like a$", table, re.M), table)


def traces():
    with Folder() as f:
        rng = random.Random(5)
        lines = ["timestamp,duration,num_gpus,gpu_time,cluster"]
        for i in range(300):
            gpus, s = rng.choice([1, 1, 1, 2, 4, 8, 16]), rng.randint(10, 5000)
            lines.append(f"2017-10-{rng.randint(3, 4):02d} {rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}:{rng.randint(0, 59):02d},{s}.0,{gpus},{gpus * s}.0,v{i % 3}")
        path = f.file("philly.csv", "\n".join(lines) + "\n")
        run = run_json("philly", path, "--nodes", 4, "--gpus-per-node", 8)
        check_run("philly", run)
        tap.eq("philly: all jobs end", (run["summary"]["jobs"], run["summary"]["done"]), (300, run["summary"]["pods"]))
        gpus = sum(int(line.split(",")[2]) for line in lines[1:])
        tap.eq("philly: as many GPUs as asked for", sum(p["gpu"] for p in {p["pod"]: p for p in run["placements"]}.values()), gpus * 1000)
        tap.eq("philly: the first so many", run_json("philly", path, "--nodes", 4, "--jobs", 7)["summary"]["jobs"], 7)


def openb():
    with Folder() as f:
        rng = random.Random(3)
        nodes = f.file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\n" + "".join(f"node-{i},64000,262144,4,T4\n" for i in range(10)))
        pods = f.file("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\n" + "".join(
            f"pod-{i:03d},{rng.choice([1000, 4000])},{rng.choice([1024, 4096])},{(g := rng.choice([1, 1, 1, 2]))},{1000 if g > 1 else rng.choice([500, 1000, 250])},\n" for i in range(40)))
        args = ["openb", "--nodes", nodes, "--pods", pods, "--seeds", "42-44"]
        run = run_json(*args)
        tap.eq("openb: one row a seed", [s["seed"] for s in run["seeds"]], [42, 43, 44])
        tap.eq("openb: the loads of the recipe", list(run["mean"]["gpu_alloc_pct"]), ["80", "90", "95", "100", "110", "130"])
        for load in ("80", "100", "130"):
            mean = sum(s["gpu_alloc_pct"][load] for s in run["seeds"]) / 3
            tap.ok(f"openb: the mean at {load}", abs(mean - run["mean"]["gpu_alloc_pct"][load]) < 0.01 and mean <= 100.001, run["mean"])
        tap.eq("openb: the same again", run, run_json(*args))
        tap.ok("openb: a table", re.search(r"^ *mean ", cox(*args).stdout, re.M))
        for wrong, want in [(["--seeds", "9-3"], "--seeds must be a range"), (["--pods", nodes], "nodes.csv"), (["--profile", "none"], 'there is no profile "none"')]:
            done = cox(*args, *wrong)
            tap.ok(f"openb: error of {wrong[0]}", done.returncode == 1 and want in done.stderr, done.stderr)


def dumps():
    node = lambda name: {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
                         "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}, "conditions": [{"type": "Ready", "status": "True"}]}}
    pod = lambda name, cpu, at=None, phase="Running": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
                                                        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}], **({"nodeName": at} if at else {})},
                                                        "status": {"phase": phase}}
    items = [pod("a", "3", "n1"), node("n1"), node("n2"), pod("b", "2", phase="Pending"), pod("big", "9", phase="Pending"), pod("old", "4", "n2", "Succeeded")]
    with Folder() as f:
        path = f.file("dump.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        run = run_json("dump", path)
        where = {p["pod"]: p["node"] for p in run["placements"]}
        tap.eq("dump: pods stay or are placed", where, {"a": "n1", "b": "n2"})
        tap.eq("dump: and one waits", [p["job"] for p in run["pending"]], ["big"])
        table = cox("dump", path, "--what-if", "gang: {replicas: 4, requests: {cpu: 2}}").stdout
        tap.ok("dump: the start is unknown", re.search(r"^starts +unknown: ", table, re.M), table)
        tap.ok("dump: nodes are named", re.search(r"^nodes needed +2 more like n1$", table, re.M), table)


QUEUES = """
grace: 10s
owedAfter: 60s
nodes: [{name: node, gpus: 4, cpu: 64}]
queues:
- {name: a, resources: {gpu: {quota: 2}}}
- {name: b, resources: {gpu: {quota: 2}}}
jobs:
- {name: long, queue: a, count: 2, duration: 1000s, checkpoint: 100s, requests: {gpu: 2}}
- {name: owed, queue: b, arrival: 250s, duration: 100s, requests: {gpu: 2}}
"""


def queues():
    """Queues, settings of the policy side by side, what a queue lost and was owed: worked out again from the placements."""
    with Folder() as f:
        path = f.file("queues.yaml", QUEUES)
        run = run_json(path)
        by = {q["name"]: q for q in run["queues"]}
        tap.eq("queues: who is owed something takes it back", [p["start"] for p in run["pods"] if p["name"] == "owed"], [260])
        tap.eq("queues: one had to go", (run["summary"]["preemptionsBy"]["reclaim"], by["a"]["preemptions"], by["b"]["preemptions"]), (1, 1, 0))
        for name, queue in by.items():
            used = sum((end_of(p, run) - p["from"]) * p["gpu"] for p in run["placements"] if ("owed" in p["pod"]) == (name == "b"))
            tap.ok(f"queues: {name} used what its placements say", abs(used - queue["meanUsed"] * run["end"]) < 1, (used, queue["meanUsed"] * run["end"]))
        evicted = [p for p in run["placements"] if p["end"] == "evicted"]
        lost = sum((p["to"] - p["from"] - 200) * p["gpu"] / 1000 for p in evicted)
        tap.ok("queues: what is lost is what no checkpoint kept", abs(lost / 3600 - by["a"]["lostGpuHours"]) < 1e-4, (lost, by["a"]["lostGpuHours"]))
        tap.eq("queues: no guarantee is broken", run["summary"]["guaranteesBroken"], 0)
        tap.eq("queues: -o json is --json", cox(path, "-o", "json").stdout, cox(path, "--json").stdout)
        runs = run_json(path, "--policy", "all")["runs"]
        tap.eq("queues: every setting is shown", [r["policy"] for r in runs], ["fifo", "fifo-backfill", "fifo-reserve", "queues", "reclaim", "kai", "cox"])
        tap.eq("queues: nobody keeps a guarantee who does not reclaim", [r["summary"]["guaranteesBroken"] for r in runs], [1, 1, 1, 1, 0, 0, 0])
        for r in runs:
            tap.eq(f"queues: {r['policy']}: no node is over its capacity", over_capacity(r), [])
            tap.ok(f"queues: {r['policy']}: fairness is a share", 0 < r["summary"]["fairness"] <= 1)
        table = cox(path, "--policy", "fifo,cox").stdout
        tap.ok("queues: side by side in one table", re.search(r"^ +fifo +cox$", table, re.M) and re.search(r"^guarantees broken +1 +0$", table, re.M), table)
        tap.ok("queues: an unknown policy is told", "there is no policy \"best\"" in cox(path, "--policy", "best").stderr)
        answer = cox(path, "--at", "100s", "--what-if", "gang: {queue: b, requests: {gpu: 2}}").stdout
        tap.ok("queues: what if", re.search(r"^starts +at 1m50s", answer, re.M) and re.search(r"^has to go +long-", answer, re.M), answer)


def virtual_clusters():
    """A trace of our own: two clusters, one of which floods the cluster before the other one comes."""
    rows = ["timestamp,duration,num_gpus,gpu_time,cluster"] + [f"2017-10-09 00:00:{i:02},1000.0,1,1000.0,flood" for i in range(32)] + ["2017-10-09 00:10:00,4000.0,1,4000.0,calm"] * 8
    with Folder() as f:
        path = f.file("trace.csv", "\n".join(rows) + "\n")
        runs = run_json("philly", path, "--nodes", 2, "--queues", "--policy", "fifo,cox", "--checkpoint", "10m")["runs"]
        waits = [next(q for q in r["queues"] if q["name"] == "calm")["waiting"]["mean"] for r in runs]
        tap.ok("virtual clusters: with queues the calm one does not wait for the flood", waits[1] <= 30 and waits[0] > 300, waits)
        tap.eq("virtual clusters: all run to their end", [r["summary"]["done"] for r in runs], [40, 40])
        tap.eq("virtual clusters: quotas are the cluster's GPUs", sum(q["quota"] for q in runs[0]["queues"]), 16000)
        tap.ok("virtual clusters: a line without one is told", "cluster: not a name" in cox("philly", f.file("bad.csv", rows[0] + "\n2017-10-09 00:00:00,1.0,1,1.0,\n"), "--queues").stderr)


def worlds():
    """What if objects of a cluster were different."""
    node = lambda name: {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": "16", "pods": "110", "nvidia.com/gpu": "4"}}}
    queue = lambda name, quota: {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name}, "spec": {"resources": {"gpu": {"quota": quota}}}}
    pod = lambda name, at: {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": {"kai.scheduler/queue": "b"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
                            "spec": {"nodeName": at, "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": 4}}}]}, "status": {"phase": "Running"}}
    with Folder() as f:
        cluster = f.file("cluster.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("n1"), node("n2"), queue("a", 4), queue("b", 4), pod("b1", "n1"), pod("b2", "n2")]}))

        def ask(*objects):
            path = f.file("changes.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
            done = cox("dump", cluster, "--what-if", path, "-o", "json")
            return json.loads(done.stdout)["whatIf"] if not done.returncode else done.stderr
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "labels": {"kai.scheduler/queue": "a"}},
               "spec": {"parallelism": 2, "template": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": 2}}}]}}}}
        got = ask(job, queue("a", 4))
        tap.eq("worlds: a job of a queue takes what its queue is owed", [(w["name"], w["starts"], w["at"]) for w in got["work"]], [("train-0", "AfterEviction", 30), ("train-1", "AfterEviction", 30)])
        tap.eq("worlds: at whose cost", [(v["queue"], v["runsAgain"]) for v in got["evicted"]], [("b", False)])
        got = ask(job, queue("a", 0), queue("b", 8))
        tap.ok("worlds: without a quota it waits, and is told why", got["work"][0]["starts"] == "Waits" and "reclaim does not help" in got["work"][0]["reason"], got)
        got = ask(job, node("n3"))
        tap.eq("worlds: one node more is enough", [(w["starts"], w["node"]) for w in got["work"]], [("Now", "n3"), ("Now", "n3")])
        got = ask({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "spec": {"unschedulable": True}})
        tap.eq("worlds: a node is drained", (got["changes"], [(v["name"], v["runsAgain"]) for v in got["evicted"]]), (["Node n1 drained"], [("b1", False)]))
        tap.ok("worlds: what means nothing is refused", '"Secret" is none of' in ask({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}, job))


def generators():
    names = [line.split()[0] for line in cox("perf", "--list").stdout.splitlines()]
    tap.ok("there are many workloads", len(names) > 30, names)
    for name in names:
        run = run_json("perf", name, "--nodes", 40 if "Gated" not in name else 1, "--pods", 100)
        measured = next(k for k in run["jobs"] if k["name"] == "measured")
        fits = {"PreemptionHopeless": 0, "PreemptionAsync": 40, "PreemptionBasic": 40, "PreemptionPVs": 40, "HostPortConflict": 40, "ResourceSaturation": 40,
                "SchedulingPodAntiAffinity": 32, "RequiredPodAntiAffinityWithNSSelector": 14, "Gangs1000": 100, "GangHuge": 100}.get(name, 100)
        tap.eq(f"{name}: as many as can be are placed", measured["placed"], fits)
        tap.eq(f"{name}: no node is over its capacity", over_capacity(run), [])


def quiet():
    """Nothing but the answer: progress is for terminals."""
    done = cox(SCENARIOS[0])
    tap.eq("no progress line in a pipe", done.stderr, "")


if __name__ == "__main__":
    tap.run([examples, order_and_time, random_scenarios, same_seed_same_bytes, pages, profiles, comparing, bad_input, what_if, traces, openb, dumps, queues, virtual_clusters, worlds, generators, quiet])
    tap.done()
