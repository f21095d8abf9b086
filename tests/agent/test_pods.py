#!/usr/bin/env python3
"""Pods really run: one server with its agent, pods of this machine's own programs, from creation to the last trace."""
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, PATIENCE, ROOT, tap, wait_for  # noqa: E402
from lib.node import Cluster, condition, isolate, leftovers, pod, statuses  # noqa: E402


def node_is_ready(c):
    node = c.wait_node()
    info = node["status"]["nodeInfo"]
    tap.eq("the node has this machine's cores", node["status"]["capacity"]["cpu"], str(os.cpu_count()))
    tap.ok("and its memory", node["status"]["capacity"]["memory"].endswith("Ki"), node["status"]["capacity"])
    tap.eq("its architecture and system", (info["operatingSystem"], node["metadata"]["labels"]["kubernetes.io/os"]), ("linux", "linux"))
    tap.ok("a pod CIDR", node["spec"].get("podCIDR"), node["spec"])
    lease = c.wait(lambda: c.get(f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{c.node}").json.get("spec"), "the lease")
    tap.eq("a lease in its name", lease["holderIdentity"], c.node)


def web_pod_answers(c):
    c.create(pod("web", image="cox/web"))
    p = c.wait_running("web")
    ip = p["status"]["podIP"]
    text = wait_for(lambda: fetch(f"http://{ip}:8080/"))
    tap.has("the built-in web server answers on the pod's address", text or "", "web")
    tap.eq("conditions", [condition(p, k) for k in ("PodScheduled", "Initialized", "ContainersReady", "PodReadyToStartContainers")], ["True"] * 4)
    tap.eq("what holds has no reason why it did not", [k["type"] for k in p["status"]["conditions"] if k["status"] == "True" and (k.get("reason") or k.get("message"))], [])
    tap.ok("the container has an id and a start time", statuses(p)["c"]["containerID"] and statuses(p)["c"]["state"]["running"]["startedAt"], p["status"])
    events = lambda: {e["reason"] for e in c.get("/api/v1/namespaces/default/events").json["items"] if (e.get("involvedObject") or e.get("regarding", {})).get("name") == "web"}
    tap.ok("events tell its story", wait_for(lambda: {"Scheduled", "Created", "Started"} <= events()), events())


def fetch(url):
    try:
        return urllib.request.urlopen(url, timeout=PATIENCE).read().decode()
    except OSError:
        return None


def logs_are_kept(c):
    c.create(pod("talker", "echo one; echo two >&2; echo three; sleep 1000"))
    c.wait_running("talker")
    c.wait(lambda: "three" in c.logs("talker"), "the log")
    tap.eq("the log", sorted(c.logs("talker").split()), ["one", "three", "two"])
    tap.eq("its last line", c.logs("talker", "?tailLines=1&stream=Stdout").split()[-1:], ["three"])


def containers_get_what_the_spec_says(c):
    c.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"colour": "green", "file.txt": "from a config map"}})
    c.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}, "data": {"password": base64.b64encode(b"sesame").decode()}})
    script = ("echo colour=$COLOUR; echo password=$PASSWORD; echo me=$ME on=$NODE; cat /etc/settings/file.txt; echo; cat /etc/keys/password; echo; cat /etc/info/labels; echo;"
              "echo host=$(hostname); id -u; id -g; test -w / && echo writable-root || echo read-only-root; ls /scratch && echo data > /scratch/x && cat /scratch/x;"
              "test -s /var/run/secrets/kubernetes.io/serviceaccount/token && echo has-token; cat /proc/1/cmdline | tr '\\0' ' '; echo; echo done; sleep 1000")
    p = pod("everything", script, labels={"tier": "test"})
    p["spec"]["containers"][0].update({
        "env": [{"name": "COLOUR", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "colour"}}}, {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "password"}}},
                {"name": "ME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        "volumeMounts": [{"name": "settings", "mountPath": "/etc/settings"}, {"name": "keys", "mountPath": "/etc/keys"}, {"name": "info", "mountPath": "/etc/info"}, {"name": "scratch", "mountPath": "/scratch"}],
        "securityContext": {"readOnlyRootFilesystem": True, "runAsUser": 1234, "runAsGroup": 2345}})
    p["spec"]["volumes"] = [{"name": "settings", "configMap": {"name": "settings"}}, {"name": "keys", "secret": {"secretName": "keys", "defaultMode": 0o444}},
                            {"name": "info", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}}, {"name": "scratch", "emptyDir": {}}]
    c.create(p)
    c.wait_running("everything")
    c.wait(lambda: "done" in c.logs("everything"), "the script's end")
    text = c.logs("everything")
    for want in ("colour=green", "password=sesame", f"me=everything on={c.node}", "from a config map", "sesame", 'tier="test"', "host=everything", "1234", "2345", "read-only-root", "data", "has-token"):
        tap.has(f"inside: {want}", text, want)


def init_containers_and_sidecars(c):
    p = pod("ordered", "cat /shared/log; sleep 1000")
    mount = [{"name": "shared", "mountPath": "/shared"}]
    p["spec"]["volumes"] = [{"name": "shared", "emptyDir": {}}]
    p["spec"]["containers"][0]["volumeMounts"] = mount
    sh = lambda script: ["/bin/sh", "-c", script]
    p["spec"]["initContainers"] = [
        {"name": "first", "image": "cox/host", "command": sh("echo first >> /shared/log"), "volumeMounts": mount},
        {"name": "helper", "image": "cox/host", "command": sh("echo helper >> /shared/log; sleep 1000"), "restartPolicy": "Always", "volumeMounts": mount,
         "startupProbe": {"exec": {"command": sh("test -s /shared/log")}, "periodSeconds": 1}},
        {"name": "second", "image": "cox/host", "command": sh("echo second >> /shared/log"), "volumeMounts": mount}]
    c.create(p)
    now = c.wait_running("ordered")
    init = statuses(now, "initContainerStatuses")
    c.wait(lambda: len(c.logs("ordered").split()) >= 3, "its log")  # it is ready when it has begun, and may not have spoken yet
    tap.eq("init containers ended in order before the main one", c.logs("ordered").split(), ["first", "helper", "second"])
    tap.eq("they ended well", [init[n]["state"].get("terminated", {}).get("reason") for n in ("first", "second")], ["Completed"] * 2)
    tap.ok("the sidecar runs on", "running" in init["helper"]["state"], init)


def jobs_end(c):
    job = lambda name, script, **spec: {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
                                        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "cox/host", "command": ["/bin/sh", "-c", script]}]}}, **spec}}
    c.create(job("good", "echo worked", completions=2, parallelism=2))
    c.create(job("bad", "echo broken > /dev/termination-log; exit 3", backoffLimit=0))
    c.wait(lambda: condition(c.read("good", "Job"), "Complete") == "True", "the job complete")
    c.wait(lambda: condition(c.read("bad", "Job"), "Failed") == "True", "the job failed")
    tap.eq("a job that works", c.read("good", "Job")["status"]["succeeded"], 2)
    end = statuses(c.pods("job-name=bad")[0])["c"]["state"]["terminated"]
    tap.eq("one that does not: exit code and message", (end["exitCode"], end["message"].strip(), end["reason"]), (3, "broken", "Error"))


def crashes_are_restarted(c):
    c.create(pod("crasher", "echo up; trap 'exit 7' TERM; sleep 1000 & wait"))
    before = c.wait_running("crasher")
    c.wait(lambda: "up" in c.logs("crasher"), "its log")
    pid = container_pid(c, before)
    os.kill(pid, signal.SIGKILL)
    after = c.wait(lambda: (lambda p: p if statuses(p)["c"]["restartCount"] == 1 and condition(p, "Ready") == "True" else None)(c.read("crasher")), "the restart")
    last = statuses(after)["c"]["lastState"]["terminated"]
    tap.eq("a killed container is started again; how it ended is kept", (last["exitCode"], statuses(after)["c"]["restartCount"]), (137, 1))
    tap.has("the log of the run before", c.logs("crasher", "?previous=true"), "up")
    c.create(pod("looper", "date +%N; exit 1"))
    looping = lambda: (lambda s: s if s.get("restartCount", 0) >= 1 and s["state"].get("waiting", {}).get("reason") == "CrashLoopBackOff" else None)(statuses(c.read("looper")).get("c", {}))
    in_backoff = lambda: (lambda before, texts, after: texts if before and after and before["restartCount"] == after["restartCount"] else None)(
        looping(), [c.logs("looper", q) for q in ("", "?previous=true")], looping())
    newest, previous = c.wait(in_backoff, "logs in the back-off")
    tap.ok("while a container waits to be started again, its log and that of the run before are the newest crash's", newest.strip().isdigit() and newest == previous, (newest, previous))
    c.create(pod("never", "exit 0", restartPolicy="Never"))
    p = c.wait_phase("never", "Succeeded")
    tap.eq("a pod that ends", statuses(p)["c"]["state"]["terminated"]["reason"], "Completed")


def container_pid(c, p):
    """Of the container's first process, on the machine: found by the pod's uid in its cgroup."""
    uid = p["metadata"]["uid"]
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = open(f"/proc/{entry}/cgroup").read()
        except OSError:
            continue
        if f"pod{uid}/" in text:
            status = open(f"/proc/{entry}/status").read()
            nspid = [l for l in status.splitlines() if l.startswith("NSpid:")][0].split()
            if nspid[-1] == "1":
                return int(entry)
    raise RuntimeError("no process of the pod")


def deployments_heal(c):
    c.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "team"}, "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "team"}},
              "template": {"metadata": {"labels": {"app": "team"}}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "cox/web"}]}}}})
    ready = lambda n: (c.read("team", "Deployment") or {}).get("status", {}).get("readyReplicas", 0) == n
    c.wait(lambda: ready(3), "three ready")
    victim = c.pods("app=team")[0]["metadata"]["name"]
    c.delete(c.url("Pod", victim))
    c.wait_gone(victim)
    c.wait(lambda: ready(3) and len(c.pods("app=team")) == 3, "three ready again")
    tap.ok("a deleted pod of a deployment is replaced", True)
    ips = {p["status"]["podIP"] for p in c.pods("app=team")}
    tap.eq("each has an address of its own", len(ips), 3)
    c.patch(c.url("Deployment", "team"), {"spec": {"replicas": 0}})
    c.wait(lambda: not c.pods("app=team"), "none left")
    tap.ok("scaled to nothing", True)


def stubborn_pods_go(c):
    c.create(pod("stubborn", "trap '' TERM; while true; do sleep 1; done", terminationGracePeriodSeconds=1))
    c.wait_running("stubborn")
    c.delete(c.url("Pod", "stubborn"))
    c.wait_gone("stubborn")
    tap.ok("a pod that ignores SIGTERM goes", True)


def probes_count(c):
    p = pod("probed", "touch /tmp/ok; sleep 1000", container={"readinessProbe": {"exec": {"command": ["test", "-e", "/tmp/ok"]}, "periodSeconds": 1},
                                                             "livenessProbe": {"httpGet": {"port": 1, "path": "/"}, "initialDelaySeconds": 0, "periodSeconds": 1, "failureThreshold": 2}})
    c.create(p)
    c.wait(lambda: statuses(c.read("probed") or {}).get("c", {}).get("restartCount", 0) >= 1, "the liveness probe's restart")
    tap.ok("a failed liveness probe restarts the container", True)
    c.delete(c.url("Pod", "probed") + "?gracePeriodSeconds=0")
    c.create(pod("quiet", "sleep 1000", container={"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 1}}))
    c.wait(lambda: "running" in statuses(c.read("quiet")).get("c", {}).get("state", {}), "running")
    tap.eq("a container that is not ready keeps its pod unready", condition(c.read("quiet"), "Ready"), "False")


def volumes_from_templates(c):
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local-path", "resources": {"requests": {"storage": "1Mi"}}}}
    c.create(pod("keeper", "echo kept > /data/x; cat /data/x; sleep 1000", container={"volumeMounts": [{"name": "data", "mountPath": "/data"}]},
                 volumes=[{"name": "data", "ephemeral": {"volumeClaimTemplate": template}}]))
    c.wait(lambda: "kept" in c.logs("keeper"), "a file on the volume")
    claim = c.get("/api/v1/namespaces/default/persistentvolumeclaims/keeper-data").json
    tap.eq("a volume that is a template of a claim is bound", (claim.get("status", {}).get("phase"), claim["metadata"]["ownerReferences"][0]["name"]), ("Bound", "keeper"))
    c.delete("/api/v1/namespaces/default/pods/keeper?gracePeriodSeconds=1")
    c.wait(lambda: not c.get("/api/v1/namespaces/default/persistentvolumeclaims").json["items"] and not c.get("/api/v1/persistentvolumes").json["items"], "the claim and its volume gone")
    tap.ok("claim and volume go with the pod", True)


def why_names_the_claim(c):
    c.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "shared"},
              "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "local-path", "resources": {"requests": {"storage": "1Mi"}}}})
    c.create(pod("sharer", "sleep 1000", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "shared"}}]))
    ask = lambda: subprocess.run([COX, "why", "pod/sharer", "--kubeconfig", c.kubeconfig], capture_output=True, text=True, timeout=PATIENCE).stdout
    c.wait(lambda: "waits for the claim shared: local-path volumes are on one node" in ask(), "cox why, with what was said about the claim")
    tap.ok("why names the claim that a pod waits for, and what is the matter with it", True)
    c.delete("/api/v1/namespaces/default/pods/sharer?gracePeriodSeconds=0")
    c.delete("/api/v1/namespaces/default/persistentvolumeclaims/shared")


def a_failed_hook_is_never_ready(c):
    c.create(pod("hooked", "trap '' TERM; while :; do sleep 0.1; done", container={"lifecycle": {"postStart": {"exec": {"command": ["/bin/sh", "-c", "exit 1"]}}}},
                 terminationGracePeriodSeconds=2))
    seen = []

    def look():
        p = c.read("hooked")
        seen.append((condition(p, "Ready"), [s["ready"] for s in statuses(p).values()]))
        return statuses(p).get("c", {}).get("lastState", {}).get("terminated") or statuses(p).get("c", {}).get("state", {}).get("terminated")

    end = c.wait(look, "the end of a container whose hook failed")
    tap.eq("it was killed", end["exitCode"], 137)
    tap.eq("a container whose hook failed is never ready", [s for s in seen if s[0] == "True" or True in s[1]], [])


def usage_is_told_when_it_is_known(c):
    c.create(pod("worker", "while sleep 0.02; do :; done"))
    c.create(pod("idle", "exit 0", restartPolicy="Never"))
    c.wait_running("worker")
    c.wait_phase("idle", "Succeeded")
    seen = c.wait(lambda: {p["metadata"]["name"]: [k["usage"]["cpu"] for k in p["containers"]] for p in c.get("/apis/metrics.k8s.io/v1beta1/namespaces/default/pods").json.get("items", [])
                           if p["metadata"]["name"] in ("worker", "idle")}, "the usage of a pod")
    tap.ok("a pod is told of when there is a rate, and one that has ended is not", list(seen) == ["worker"] and seen["worker"][0] != "0n", seen)


def a_debugger_sees_its_target(c):
    c.create(pod("patient", "sleep 77777"))
    c.wait_running("patient")
    debugger = {"name": "debugger", "image": "cox/host", "targetContainerName": "c", "command": ["/bin/sh", "-c", "tr '\\0' ' ' < /proc/1/cmdline; echo me=$$"]}
    r = c.patch(c.url("Pod", "patient") + "/ephemeralcontainers", {"spec": {"ephemeralContainers": [debugger]}}, kind="strategic")
    tap.eq("an ephemeral container is taken", r.status, 200)
    end = c.wait(lambda: statuses(c.read("patient"), "ephemeralContainerStatuses").get("debugger", {}).get("state", {}).get("terminated"), "its end")
    log = c.logs("patient", "?container=debugger")
    tap.ok("it sees the processes of its target", end["exitCode"] == 0 and "sleep 77777" in log and "me=1\n" not in log, log)
    tap.eq("the pod runs on", statuses(c.read("patient"))["c"]["restartCount"], 0)


def what_cannot_run_says_why(c):
    c.create(pod("sysctl", "sleep 1000", securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}))
    p = c.wait_phase("sysctl", "Failed")
    tap.eq("a sysctl of the machine is refused for good", (p["status"]["reason"], p["status"]["message"]), ("SysctlForbidden", 'forbidden sysctl: "kernel.msgmax" not allowlisted'))
    c.create(pod("no-program", container={"command": ["/no/such/program"]}))
    p = c.wait(lambda: (lambda s: s if s.get("restartCount", 0) >= 1 or s.get("lastState", {}).get("terminated") or s.get("state", {}).get("terminated") else None)(statuses(c.read("no-program")).get("c", {})), "its end")
    ended = p.get("lastState", {}).get("terminated") or p["state"]["terminated"]
    tap.has("a program that is not there is named", ended.get("message", ""), "/no/such/program")
    c.create(pod("no-config", "true", container={"env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "absent", "key": "k"}}}]}))
    waits = lambda name: statuses(c.read(name) or {}).get("c", {}).get("state", {}).get("waiting", {})
    w = c.wait(lambda: (lambda s: s if s.get("reason") == "CreateContainerConfigError" else None)(waits("no-config")), "the missing config map")
    tap.has("so is a config map", w["message"], 'configmap "absent" not found')
    c.create(pod("no-image", image="nowhere.invalid/none:1"))
    w = c.wait(lambda: (lambda s: s if s.get("reason") in ("ErrImagePull", "ImagePullBackOff") else None)(waits("no-image")), "the missing image")
    tap.ok("and an image", "nowhere.invalid" in w["message"], w)
    told = lambda: {e["message"] for e in c.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dclosed").json["items"]}
    c.create(pod("closed", image="127.0.0.1:1/none:1"))
    wait_for(lambda: {"Error: ErrImagePull", "Error: ImagePullBackOff", 'Back-off pulling image "127.0.0.1:1/none:1"'} <= told())
    tap.ok("Events tell of the error and of the back-off", {"Error: ErrImagePull", "Error: ImagePullBackOff", 'Back-off pulling image "127.0.0.1:1/none:1"'} <= told(), told())
    tap.ok("and nothing asks for a server where a registry is meant", any("refused" in m for m in told()) and not any("is the server running" in m for m in told()), told())
    c.create(pod("slow", "true", initContainers=[{"name": "first", "image": "cox/host", "command": ["/bin/sh", "-c", "sleep 10000"]}]))
    c.wait(lambda: statuses(c.read("slow"), "initContainerStatuses").get("first", {}).get("state", {}).get("running"), "the init container")
    tap.has("logs of a container that waits for init containers say so", c.logs("slow", "?container=c"), "is waiting to start: PodInitializing")


def restart_adopts(c):
    c.create(pod("survivor", "echo begin; sleep 10000"))
    before = c.wait_running("survivor")
    pid = container_pid(c, before)
    c.kill()  # -9: server, scheduler, controllers and agent at once
    tap.ok("the pod runs on without a server", os.path.exists(f"/proc/{pid}"))
    c.start()
    c.wait_node()
    c.create(pod("later", "sleep 10000"))
    c.wait_running("later")
    after = c.read("survivor")
    tap.eq("and is taken over, not restarted", (statuses(after)["c"]["containerID"], statuses(after)["c"]["restartCount"], after["status"]["podIP"]),
           (statuses(before)["c"]["containerID"], 0, before["status"]["podIP"]))
    tap.eq("it is the same process", container_pid(c, after), pid)
    tap.eq("it is still ready", condition(after, "Ready"), "True")
    c.delete(c.url("Pod", "survivor"))
    c.wait_gone("survivor")
    tap.ok("and can be deleted", not os.path.exists(f"/proc/{pid}"))


def uninstall_leaves_nothing(c):
    busy = c.uninstall("--yes")
    tap.has("uninstall refuses while the server runs", busy.stderr, "end it first")
    folder = c.path("words")
    os.mkdir(folder)
    c.create(pod("polite", "trap 'echo bye > /out/word; exit 0' TERM; echo up; while :; do sleep 0.1; done", container={"volumeMounts": [{"name": "out", "mountPath": "/out"}]},
                 volumes=[{"name": "out", "hostPath": {"path": folder}}]))
    c.wait(lambda: "up" in c.logs("polite"), "its trap")
    c.stop()
    done = c.uninstall("--keep-data", grace="15s")
    tap.ok("containers are asked before they are killed", os.path.exists(os.path.join(folder, "word")))
    tap.eq("pods end with the machine's cluster", (done.returncode, done.stderr), (0, ""))
    tap.eq("nothing is left on the machine", leftovers(c.root, c.dir), [])
    c.start()
    c.wait_node()
    tap.ok("the cluster comes back with its pods", c.wait_running("later"))


def uninstall_empties_a_mount(c):
    disk = c.path("disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "none", disk], check=True)
    os.makedirs(os.path.join(disk, "agent", "pods"))
    done = subprocess.run([COX, "uninstall", "--yes", "--data-dir", disk, "--cgroup-root", c.root + "-none", "--pod-bridge", "cox-none"], capture_output=True, text=True, timeout=PATIENCE)
    tap.eq("a data folder that is a mount is emptied, and stays", (done.returncode, done.stderr, os.path.ismount(disk), os.listdir(disk)), (0, "", True, []))
    subprocess.run(["umount", disk], check=True)


def bad_options_are_refused(c):
    for words, want in ((["--eviction-hard", "foo<bar"], 'no signal "foo"'), (["--eviction-hard", "memory.available<much"], "neither an amount nor a percentage"), (["--runtime", "nonsense"], 'no runtime "nonsense"')):
        done = subprocess.run([COX, "server", "--data-dir", c.path("never"), *words], capture_output=True, text=True, timeout=PATIENCE)
        tap.ok(f"{' '.join(words)} is refused", done.returncode and want in done.stderr, done)
    done = subprocess.run([COX, "server", "--data-dir", c.path("never")], env={**os.environ, "COX_RUNTIME": "nonsense"}, capture_output=True, text=True, timeout=PATIENCE)
    tap.ok("so is a runtime of the environment", done.returncode and 'no runtime "nonsense"' in done.stderr, done)
    tap.ok("and nothing was begun", not os.path.exists(c.path("never")))
    told = subprocess.run([COX, "server", "--help"], capture_output=True, text=True).stdout
    page = (ROOT / "docs" / "agent.md").read_text()
    usual = "memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,pid.available<5%"
    tap.ok("help and documentation name the same thresholds", usual in told and usual in page, told)


TESTS = [node_is_ready, web_pod_answers, logs_are_kept, containers_get_what_the_spec_says, init_containers_and_sidecars, jobs_end, crashes_are_restarted, deployments_heal, stubborn_pods_go, probes_count, a_failed_hook_is_never_ready, volumes_from_templates, why_names_the_claim, usage_is_told_when_it_is_known,
         a_debugger_sees_its_target, what_cannot_run_says_why, restart_adopts, uninstall_leaves_nothing, uninstall_empties_a_mount, bad_options_are_refused]

if __name__ == "__main__":
    isolate()
    with Cluster() as cluster:
        cluster.wait_node()
        tap.run(TESTS, cluster)
    tap.done()
