#!/usr/bin/env python3
"""The guestbook of examples/guestbook, from the first apply to the last trace: with the newest kubectl of this machine, then with cox itself."""
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients")]
import kubectls  # noqa: E402
from lib.cox import COX, ROOT, tap  # noqa: E402
from lib.images import busybox_path  # noqa: E402
from lib.node import PATIENCE, Cluster, condition, isolate, statuses  # noqa: E402

COX = os.path.abspath(COX)  # commands run in other folders
BOOK = ROOT / "examples" / "guestbook"
FIRST = ("frontend", "entries", "load", "tally", "lookout")  # the rest would scale while the test does
PATIENT = f"--timeout={PATIENCE}s"


class Story:
    """One program (kubectl or cox) in a namespace of its own."""

    def __init__(self, cluster, program, name, ns):
        self.c, self.program, self.name, self.ns = cluster, program, name, ns
        self.env = {**os.environ, "HOME": cluster.dir, "KUBECONFIG": cluster.kubeconfig}

    def words(self, *args):
        return [self.program, "-n", self.ns, *args]

    def run(self, *args, stdin=""):
        return subprocess.run(self.words(*args), input=stdin, capture_output=True, text=True, timeout=2 * PATIENCE, env=self.env, cwd=self.c.dir)

    def do(self, *args, stdin=""):
        """Output of a command that has to work."""
        done = self.run(*args, stdin=stdin)
        if done.returncode:
            raise RuntimeError(f"{self.name} {' '.join(args)}: exit {done.returncode}\n{done.stdout}{done.stderr}\n{self.c.describe()}")
        return done.stdout

    def eq(self, what, have, want):
        return tap.eq(f"{self.name}: {what}", have, want)

    def ok(self, what, good, detail=""):
        return tap.ok(f"{self.name}: {what}", good, detail)

    def pods(self, tier):
        """Those that are not on their way out."""
        return [p for p in self.c.pods(f"tier={tier}", self.ns) if "deletionTimestamp" not in p["metadata"]]

    def page(self, tier, path, pick=0):
        ip = self.pods(tier)[pick]["status"]["podIP"]
        return urllib.request.urlopen(f"http://{ip}:8080{path}", timeout=PATIENCE).read().decode()

    def proxy(self, what, path):
        r = self.c.get(f"/api/v1/namespaces/{self.ns}/{what}/proxy{path}", timeout=PATIENCE)
        return r.text if r.status == 200 else None

    def versions(self):
        """Of all front ends; None when one does not answer."""
        try:
            return {self.page("frontend", "/cgi-bin/who", i).split()[3].rstrip(",") for i in range(len(self.pods("frontend")))}
        except (OSError, IndexError, KeyError):
            return None


# --- chapters -----------------------------------------------------------------------------------------------------------------------

def everything_comes_up(s):
    s.do("create", "namespace", s.ns)
    files = [w for f in FIRST for w in ("-f", str(BOOK / f"{f}.yaml"))]
    made = s.do("apply", *files).splitlines()
    s.eq("apply", sorted(made), sorted(f"{x} created" for x in ("configmap/guestbook-page", "deployment.apps/frontend", "service/frontend", "service/entries", "statefulset.apps/entries",
                                                                "job.batch/load", "cronjob.batch/tally", "daemonset.apps/lookout")))
    s.ok("the front end rolls out", "successfully rolled out" in s.do("rollout", "status", "deployment/frontend", PATIENT))
    s.ok("so do the entries", re.search("roll.*complete|successfully rolled out|2 pods at revision", s.do("rollout", "status", "statefulset/entries", PATIENT)))
    s.ok("and the lookout", "successfully rolled out" in s.do("rollout", "status", "daemonset/lookout", PATIENT))
    s.do("wait", "--for=condition=complete", "job/load", PATIENT)
    s.eq("the job has loaded the first entries", s.do("logs", "job/load"), "loaded 3 entries\n")
    claims = json.loads(s.do("get", "pvc", "-o", "json"))["items"]
    s.eq("each of the entries has a disk", sorted((p["metadata"]["name"], p["status"]["phase"]) for p in claims), [("data-entries-0", "Bound"), ("data-entries-1", "Bound")])
    again = s.do("apply", *files).splitlines()  # kubectl calls a StatefulSet with claims "configured" every time: it does not know what the server fills in there
    s.eq("a second apply changes nothing", [line for line in again if not line.endswith("unchanged") and not line.startswith("statefulset")], [])


def pods_answer(s):
    s.ok("a page from the config map, at the pod's address", "<h1>Guestbook</h1>" in s.page("frontend", "/"))
    who = s.page("frontend", "/cgi-bin/who")
    s.ok("its greeting is the config map's", who.startswith("welcome aboard, version 1, from frontend-"), who)
    s.ok("through the API's pod proxy", "Guestbook" in (s.proxy(f"pods/{s.pods('frontend')[0]['metadata']['name']}:8080", "/") or ""))
    s.ok("through its service proxy", "Guestbook" in (s.c.wait(lambda: s.proxy("services/frontend:http", "/"), "the service's endpoints") or ""))
    slices = lambda: s.c.get(f"/apis/discovery.k8s.io/v1/namespaces/{s.ns}/endpointslices?labelSelector=kubernetes.io/service-name=frontend").json["items"]
    ready = lambda: {e["addresses"][0] for x in slices() for e in x.get("endpoints") or [] if e["conditions"]["ready"]}
    addresses = lambda: {p["status"]["podIP"] for p in s.pods("frontend")}
    s.eq("the service leads to the front ends", s.c.wait(lambda: (lambda now: now if now == addresses() else None)(ready()), "the service's addresses"), addresses())
    s.eq("the lookout is on the node", [p["spec"]["nodeName"] for p in s.pods("lookout")], [s.c.node])


def entries_stay(s):
    s.eq("a visitor signs", s.page("entries", "/cgi-bin/sign?Dora"), "thank you\n")
    want = "".join(f"{n} was here\n" for n in ("Anna", "Bela", "Cleo", "Dora"))
    s.eq("exec shows it on the disk", s.do("exec", "entries-0", "--", "cat", "/data/entries.txt"), want)
    before = s.c.read("entries-0", ns=s.ns)["metadata"]["uid"]
    s.do("delete", "pod", "entries-0")
    s.c.wait(lambda: (lambda p: p and p["metadata"]["uid"] != before and condition(p, "Ready") == "True")(s.c.read("entries-0", ns=s.ns)), "entries-0 again")
    s.eq("a new entries-0 has the old entries", s.page("entries", "/entries.txt"), want)
    there = pathlib.Path(s.c.dir) / f"book-{s.ns}.txt"
    s.do("cp", "entries-0:/data/entries.txt", there.name)
    s.eq("cp brings them here", there.read_text(), want)
    there.write_text("a line from here\n")
    s.do("cp", there.name, "entries-1:/data/entries.txt")
    s.eq("and others there", s.do("exec", "entries-1", "-c", "keeper", "--", "tail", "-n", "1", "/data/entries.txt"), "a line from here\n")


def it_scales_and_rolls(s):
    s.do("scale", "deployment", "frontend", "--replicas=4")
    s.do("rollout", "status", "deployment/frontend", PATIENT)
    s.eq("scaled to four", len(s.pods("frontend")), 4)
    s.do("scale", "deployment", "frontend", "--replicas=2")
    s.do("set", "image", "deployment/frontend", "web=guestbook/front:2")
    s.do("rollout", "status", "deployment/frontend", PATIENT)
    s.c.wait(lambda: len(s.pods("frontend")) == 2 and s.versions() == {"2"}, "two front ends of version 2")
    s.ok("set image rolls", True)
    s.ok("two revisions", re.search(r"\n1 .*\n2 ", s.do("rollout", "history", "deployment/frontend")))
    s.do("set", "image", "deployment/frontend", "web=guestbook/front:none")
    waits = lambda: [w for p in s.pods("frontend") for w in [statuses(p).get("web", {}).get("state", {}).get("waiting", {}).get("reason")] if w in ("ErrImagePull", "ImagePullBackOff")]
    s.ok("an image that nobody has is waited for", s.c.wait(waits, "the missing image"))
    s.eq("while the old ones serve", len([p for p in s.pods("frontend") if condition(p, "Ready") == "True"]), 2)
    s.do("rollout", "undo", "deployment/frontend")
    s.do("rollout", "undo", "deployment/frontend", "--to-revision=1")
    s.do("rollout", "status", "deployment/frontend", PATIENT)
    s.c.wait(lambda: len(s.pods("frontend")) == 2 and s.versions() == {"1"}, "version 1 again")
    s.ok("undo leads back", True)
    s.do("rollout", "restart", "deployment/frontend")
    s.do("rollout", "status", "deployment/frontend", PATIENT)


def streams_work(s):
    log = lambda: s.do("logs", "daemonset/lookout")
    s.c.wait(lambda: "listening on port 8080" in log(), "the lookout's log")
    s.ok("logs", True)
    run = subprocess.Popen(s.words("port-forward", "service/frontend", ":80"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=s.env)
    try:
        found = re.search(r"127\.0\.0\.1:(\d+) -> 8080", run.stdout.readline())
        text = urllib.request.urlopen(f"http://127.0.0.1:{found.group(1)}/cgi-bin/who", timeout=PATIENCE).read().decode() if found else run.stderr.read()
    finally:
        run.kill()
        run.communicate()
    s.ok("port-forward to the service", text.startswith("welcome aboard, version 1"), text)
    done = s.run("run", "visitor", "--image=guestbook/entries:1", "--image-pull-policy=Never", "--restart=Never", "--rm", "-i", "--command", "--", "sh", "-c", "read x; sleep 1; echo hello $x; exit 5", stdin="Anna\n")
    s.eq("run -i --rm: output and exit status", ("hello Anna" in done.stdout, done.returncode), (True, 5)) or print("#", done)
    s.ok("and the pod goes", s.c.wait_gone("visitor", ns=s.ns))
    s.c.wait(lambda: s.run("top", "pod").returncode == 0 and s.c.node in s.run("top", "node").stdout, "usage")
    s.ok("top", "lookout" in s.do("top", "pod"))


def jobs_come_by_the_clock(s):
    s.do("create", "job", "count", "--from=cronjob/tally")
    s.do("wait", "--for=condition=complete", "job/count", PATIENT)
    s.eq("a cron job's job, now", s.do("logs", "job/count"), "tally: 4\n")
    if s.program == COX:  # a minute of waiting is enough for one of the two
        return
    tick = s.c.wait(lambda: [j for j in s.c.get(s.c.url("Job", ns=s.ns)).json["items"] if j["metadata"]["name"].startswith("tally-") and condition(j, "Complete") == "True"], "the minute's job")
    s.eq("and by the clock", tick[0]["metadata"]["ownerReferences"][0]["kind"], "CronJob")


def load_is_met(s):
    s.do("apply", "-f", str(BOOK))
    hpa = lambda: json.loads(s.do("get", "hpa", "frontend", "-o", "json")).get("status", {})
    s.c.wait(lambda: hpa().get("currentMetrics") and condition({"status": hpa()}, "ScalingActive") == "True", "the autoscaler's metrics")
    s.ok("the autoscaler knows what the front ends use", True)
    s.c.wait(lambda: json.loads(s.do("get", "pdb", "frontend", "-o", "json"))["status"].get("disruptionsAllowed", 0) >= 1, "the budget")
    s.ok("all but one may be disrupted", True)
    if s.program == COX:
        return
    busy = s.pods("frontend")[0]["metadata"]["name"]
    run = subprocess.Popen(s.words("exec", busy, "--", "sh", "-c", f"exec timeout {4 * PATIENCE} yes > /dev/null"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=s.env)
    try:
        s.c.wait(lambda: (s.c.read("frontend", "Deployment", s.ns) or {}).get("spec", {}).get("replicas", 0) > 2, "more front ends under load")
        s.ok("under load there are more of them", True)
    finally:
        run.kill()
        run.communicate()


def nothing_stays(s):
    s.do("delete", "-f", str(BOOK))
    s.c.wait(lambda: not s.c.pods(ns=s.ns), "no pod left")
    left = lambda: [x for x in s.do("get", "all,configmap,hpa,pdb", "-o", "name").split() if x != "configmap/kube-root-ca.crt"]
    s.c.wait(lambda: not left(), "nothing left")
    s.eq("delete -f takes all of it, and what came of it", left(), [])
    s.eq("but the disks of the entries", s.do("get", "pvc", "-o", "name").split(), ["persistentvolumeclaim/data-entries-0", "persistentvolumeclaim/data-entries-1"])
    s.do("delete", "pvc", "--all")
    mine = lambda: [v["metadata"]["name"] for v in s.c.get("/api/v1/persistentvolumes").json["items"] if v["spec"]["claimRef"]["namespace"] == s.ns]
    s.c.wait(lambda: not mine(), "no volume left")
    s.do("delete", "namespace", s.ns)
    s.ok("and the namespace goes", s.c.wait(lambda: s.c.get(f"/api/v1/namespaces/{s.ns}").status == 404, "no namespace"))
    on_disk = lambda *names: [f for n in names for f in (os.listdir(s.c.path(n)) if os.path.isdir(s.c.path(n)) else [])]
    s.c.wait(lambda: not on_disk("agent/pods", "volumes/local-path"), "no folders left")
    s.eq("no folder of a pod or volume is left", on_disk("agent/pods", "volumes/local-path"), [])
    mounts = lambda: [line.split()[1] for line in open("/proc/mounts") if line.split()[1].startswith((s.c.path("agent/pods"), s.c.path("volumes")))]
    cables = lambda: [link["ifname"] for link in json.loads(subprocess.run(["ip", "-j", "link"], capture_output=True, text=True).stdout) if link["ifname"] not in ("lo", "cox0")]
    s.c.wait(lambda: not mounts() and not cables(), "the machine without them")
    s.eq("no mount and no cable", (mounts(), cables()), ([], []))


CHAPTERS = [everything_comes_up, pods_answer, entries_stay, it_scales_and_rolls, streams_work, jobs_come_by_the_clock, load_is_met, nothing_stays]


def main():
    isolate()
    if not busybox_path():
        tap.skip("the guestbook", "busybox-static is not installed")
        tap.done()
    with Cluster(args=["--horizontal-pod-autoscaler-sync-period", "1s"]) as c:
        c.wait_node()
        archives = subprocess.run([sys.executable, str(BOOK / "images.py"), c.dir], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        done = subprocess.run([COX, "image", "load", "--data-dir", c.dir, *archives], capture_output=True, text=True, timeout=PATIENCE)
        tap.ok("the images are loaded", done.returncode == 0 and done.stdout.count("guestbook/") == 3, done)
        found = kubectls.find()
        if not found:
            tap.skip("with kubectl", "there is none")
        for path, name, ns in [*((path, f"kubectl {version}", "story-1") for path, version in found[-1:]), (COX, "cox", "story-2")]:
            tap.run(CHAPTERS, Story(c, path, name, ns))
    tap.done()


if __name__ == "__main__":
    main()
