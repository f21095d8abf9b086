"""Plays the scheduler and the kubelet through the API, for tests of controllers: binds pods, says that they run, ends those that are being deleted.

    with Player(s) as p:
        p.fate = lambda pod: "Succeeded"      # or "Running" (ready), "Unready", "Failed", "Pending"; (phase, container exit code)
"""
import http.client
import threading
import time

ALL = "/api/v1/pods"


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Player:
    def __init__(self, server, node="node-1", fate=None):
        self.s, self.node, self.fate = server, node, fate or (lambda pod: "Running")
        self.ended = False
        self.paused = threading.Event()
        self.most = {}  # label app -> the most pods seen at once that are not finished
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.s.post("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.node}})  # it stays tainted: daemons keep away from it
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended = True
        self.thread.join(30)

    def _run(self):
        conn = None
        while not self.ended:
            try:
                if not self.paused.is_set():
                    conn = conn or self.s.connect()
                    self._step(conn)
            except (OSError, http.client.HTTPException, ValueError, KeyError):  # the server is away: a test kills it
                conn = None
            time.sleep(0.02)

    def _step(self, conn):
        count = {}
        for pod in self.s.get(ALL, conn=conn).json["items"]:
            app = pod["metadata"].get("labels", {}).get("app")
            if pod["status"].get("phase") not in ("Succeeded", "Failed"):
                count[app] = count.get(app, 0) + 1
            self.play(pod, conn)
        for app, n in count.items():
            self.most[app] = max(self.most.get(app, 0), n)

    def play(self, pod, conn=None):
        meta, spec, status = pod["metadata"], pod["spec"], pod["status"]
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        if meta.get("deletionTimestamp"):
            if spec.get("nodeName"):
                self.s.delete(path, {"gracePeriodSeconds": 0, "preconditions": {"uid": meta["uid"]}}, conn=conn)
            return
        if spec.get("schedulingGates"):
            return
        if not spec.get("nodeName"):
            pinned = pinned_to(spec)
            self.s.post(path + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"]},
                                            "target": {"apiVersion": "v1", "kind": "Node", "name": pinned or self.node}}, conn=conn)
            return
        fate = self.fate(pod)
        code = 0
        if isinstance(fate, tuple):
            fate, code = fate
        if fate == "Pending" or status.get("phase") in ("Succeeded", "Failed"):
            return
        ready = fate == "Running"
        phase = "Running" if fate == "Unready" else fate
        have = {c["type"]: c["status"] for c in status.get("conditions", [])}
        if status.get("phase") == phase and have.get("Ready") == str(ready):
            return
        new = {"phase": phase, "startTime": status.get("startTime") or now(),
               "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": now()},
                              {"type": "Ready", "status": str(ready), "lastTransitionTime": now()}]}
        if phase in ("Succeeded", "Failed"):
            new["containerStatuses"] = [{"name": c["name"], "image": c["image"], "imageID": "", "ready": False, "restartCount": 0,
                                         "state": {"terminated": {"exitCode": code or (1 if phase == "Failed" else 0), "finishedAt": now()}}} for c in spec["containers"]]
        self.s.patch(path + "/status", {"metadata": {"uid": meta["uid"]}, "status": new}, conn=conn)


def pinned_to(spec):
    terms = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", [])
    for term in terms:
        for field in term.get("matchFields", []):
            if field["key"] == "metadata.name":
                return field["values"][0]
    return None
