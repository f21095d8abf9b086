# SPDX-License-Identifier: Apache-2.0
"""Jobs of several institutions for tests: a server with a domain or more, each with nodes on paper, and the words for jobs, tasks and pods.

    with Domains(("alice", "bob")) as s:
        image(s, "small"); job(s, "x", task("a", party("alice"), party("bob"))); end_task(s, "x", "a")
"""
import subprocess

from lib.cox import COX, Server, wait_for
from lib.tasks import API, GROUPS, JOBS, K, TASKS  # noqa: F401


LONG = {"lifecycleSeconds": 3000}  # a scheduleConfig: waits as long as a test may take


def make(s, path, kind, name, spec, **meta):
    r = s.post(path, {"apiVersion": API, "kind": kind, "metadata": {"name": name, **meta}, "spec": spec})
    if r.status != 201:
        raise RuntimeError(f"{kind} {name}: {r}")
    return r.json


def image(s, name, cpu="1", replicas=1, role=None, files=None, ports=None):
    container = {"name": "main", "command": ["run"], "workingDir": "/w", "resources": {"requests": {"cpu": cpu}}, "ports": ports or [{"name": "data", "scope": "Cluster"}, {"name": "own", "scope": "Domain", "protocol": "GRPC"}, {"name": "here"}]}
    if files:
        container["configVolumeMounts"] = [{"mountPath": f"/w/{f}", "subPath": f} for f in files]
    make(s, f"{K}/appimages", "AppImage", name, {"image": {"name": "busybox", "tag": "1"}, "configTemplates": files or {},
         "deployTemplates": [{"name": name, "replicas": replicas, **({"role": role} if role else {}), "spec": {"containers": [container]}}]})


def party(domain, **more):
    return {"domainID": domain, **more}


def ask(cpu="1", bandwidth=None):
    return {"requests": {"cpu": cpu, **({"kuscia.io/bandwidth": bandwidth} if bandwidth else {})}}


def task(alias, *parties, after=(), app="small", **more):
    return {"alias": alias, "taskID": more.pop("id", ""), "dependencies": list(after), "appImage": app, "taskInputConfig": more.pop("config", "{}"), "parties": list(parties) or [party("alice"), party("bob")], **more}


def job(s, name, *tasks, labels=None, **spec):
    make(s, JOBS, "KusciaJob", name, {"initiator": "alice", "tasks": [{k: v for k, v in t.items() if v != ""} for t in tasks], **spec}, labels=labels or {})


def status(s, path):
    r = s.get(path)
    return r.json.get("status", {}) if r.status == 200 else {}


def phase(s, name):
    return status(s, f"{JOBS}/{name}").get("phase")


def tasks_of(s, name):
    """Alias to task."""
    return {t["metadata"]["annotations"]["kuscia.secretflow/task-alias"]: t for t in s.get(TASKS).json["items"] if t["metadata"]["annotations"].get("kuscia.secretflow/job-id") == name}


def task_phase(s, name, alias):
    return tasks_of(s, name).get(alias, {}).get("status", {}).get("phase")


def pods(s, task_name):
    return [p for p in s.get("/api/v1/pods").json["items"] if p["metadata"].get("annotations", {}).get("kuscia.secretflow/task-id") == task_name]


def finish(s, pod, how="Succeeded", code=0, said=""):
    path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}/status"
    ended = {"exitCode": code, "reason": "Completed" if not code else "Error", "message": said, "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z"}
    return s.patch(path, {"status": {"phase": how, "containerStatuses": [{"name": "main", "image": "i", "imageID": "", "ready": False, "restartCount": 0, "state": {"terminated": ended}}]}}).status


def end_task(s, name, alias, how="Succeeded", **more):
    """Ends every pod of the task once all of them run."""
    def ready():
        t = tasks_of(s, name).get(alias)
        mine = pods(s, t["metadata"]["name"]) if t else []
        return mine if mine and all(p["status"].get("phase") == "Running" for p in mine) else None
    found = wait_for(ready)
    for p in found or []:
        finish(s, p, how, **more)
    return wait_for(lambda: task_phase(s, name, alias) == how)


def cpu_free(s):
    """No pod of a task holds anything."""
    return not [p for p in s.get("/api/v1/pods").json["items"] if p["status"].get("phase") in ("Pending", "Running")]


def stage(s, name, what, by="bob"):
    return s.patch(f"{JOBS}/{name}", {"metadata": {"labels": {"kuscia.secretflow/job-stage": what, "kuscia.secretflow/job-stage-trigger": by}}})


# --- services ----------------------------------------------------------------------------------------------------------------------------

KDS = f"{K}/namespaces/cross-domain/kusciadeployments"


def service(s, name, *parties, config='{"model": 1}', labels=None, **meta):
    return make(s, KDS, "KusciaDeployment", name, {"initiator": "alice", "inputConfig": config, "parties": list(parties)}, labels=labels or {}, **meta)


def is_available(s, name):
    return status(s, f"{KDS}/{name}").get("phase") == "Available"


def parts(s, plural, name, ns=None, group="/api/v1"):
    """Objects of the service, by namespace and name."""
    found = s.get(f"{group}/{plural}?labelSelector=kuscia.secretflow/kd-name%3D{name}").json["items"]
    return {f"{o['metadata']['namespace']}/{o['metadata']['name']}": o for o in found if ns in (None, o["metadata"]["namespace"])}


def all_parts(s, name):
    return [f"{plural} {o}" for group, plural in (("/apis/apps/v1", "deployments"), ("/apis/apps/v1", "replicasets"), ("/api/v1", "pods"), ("/api/v1", "services"), ("/api/v1", "configmaps"))
            for o in parts(s, plural, name, group=group)]


def numbers(s):
    """Every port number that tasks and services have, by domain."""
    given = {}
    for o in s.get(KDS).json["items"] + s.get(TASKS).json["items"]:
        for p in o.get("status", {}).get("allocatedPorts", []):
            given.setdefault(p["domainID"], []).extend(p["namedPort"].values())
    return given


# --- machines ----------------------------------------------------------------------------------------------------------------------------

class Agent:
    """`cox agent --simulate`: nodes on paper of one domain, as a process that can be killed."""

    def __init__(self, server, domain, *args, capacity=("cpu=4", "kuscia.io/bandwidth=100"), nodes=1, first=0):
        more = [w for c in capacity for w in ("--node-capacity", c)]
        self.s, self.process = server, None
        self.command = [COX, "agent", "--kubeconfig", server.kubeconfig, "--simulate", str(nodes), "--simulate-first", str(first), "--simulate-prefix", domain + "-", "--node-label",
                        f"kuscia.secretflow/namespace={domain}", "--node-taint", "kuscia.secretflow/agent=v1:NoSchedule", *more, *args]
        self.start()

    def start(self):
        with open(self.s.path("agent.log"), "a") as log:
            self.process = subprocess.Popen(self.command, stderr=log, stdout=subprocess.DEVNULL)

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Domains(Server):
    """A server with its scheduler, domains, and an agent with a node on paper for each; .agents by domain."""

    def __init__(self, domains, capacity=("cpu=4", "kuscia.io/bandwidth=100"), nodes=1, quota=None, agent_args=(), **kw):
        super().__init__(scheduler=True, **kw)
        self.agents = {}
        try:
            for d in domains:
                make(self, f"{K}/domains", "Domain", d, {"resourceQuota": {"podMaxCount": quota}} if quota else {})
                self.agents[d] = Agent(self, d, *agent_args, capacity=capacity, nodes=nodes)
            ready = lambda: len(self.get("/api/v1/nodes").json["items"]) == len(domains) * nodes and self.get("/api/v1/namespaces/cross-domain").status == 200 and \
                all(self.get(f"/api/v1/namespaces/{d}/serviceaccounts/default").status == 200 for d in domains)  # noqa: E731
            if not wait_for(ready):
                raise RuntimeError("no nodes: " + open(self.path("agent.log")).read()[-2000:])
        except BaseException:
            self.__exit__(RuntimeError, None, None)
            raise

    def __exit__(self, *args):
        for a in self.agents.values():
            a.kill()
        super().__exit__(*args)
