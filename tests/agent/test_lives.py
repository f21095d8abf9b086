#!/usr/bin/env python3
"""What pods live through: new images, debuggers, an agent that dies at a bad moment, second thoughts about a deletion, manifests in a folder."""
import json
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import tap, wait_for  # noqa: E402
from lib.node import PATIENCE, Cluster, condition, isolate, pod, statuses  # noqa: E402

SH = lambda script: ["/bin/sh", "-c", script]


def state(c, name, which="containerStatuses", container="c"):
    return statuses(c.read(name) or {}, which).get(container, {})


def new_images_replace_containers(c):
    for policy in ("Always", "Never"):
        name = "image-" + policy.lower()
        c.create(pod(name, "trap 'exit 0' TERM; sleep 10000 & wait", restartPolicy=policy))
        before = statuses(c.wait_running(name))["c"]
        c.patch(c.url("Pod", name), {"spec": {"containers": [{"name": "c", "image": "cox/web"}]}}, kind="strategic")
        after = c.wait(lambda: (lambda s: s if s.get("restartCount") == 1 and "running" in s.get("state", {}) else None)(state(c, name)), "the container with the new image")
        tap.eq(f"{policy}: a new image is run in its place", (after["image"], after["containerID"] != before["containerID"]), ("cox/web", True))
        tap.eq(f"{policy}: the pod was never over", c.read(name)["status"]["phase"], "Running")
    c.create(pod("typo", "sleep 10000", image="nowhere.invalid/none:1"))
    c.wait(lambda: state(c, "typo").get("state", {}).get("waiting", {}).get("reason") in ("ErrImagePull", "ImagePullBackOff"), "the failed pull")
    c.patch(c.url("Pod", "typo"), {"spec": {"containers": [{"name": "c", "image": "cox/host"}]}}, kind="strategic")
    c.wait_running("typo")
    tap.ok("an image that was put right is tried", True)


def agents_that_die_change_nothing(c):
    ready = {"readinessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 600}}  # one that would not be ready again soon
    c.create(pod("steady", "sleep 10000", container=ready))
    c.create(ends_when(c, "ends", 5))
    steady, ends = c.wait_running("steady"), c.wait_running("ends")
    c.request("PATCH", c.url("Pod", "steady") + "/ephemeralcontainers", json.dumps({"spec": {"ephemeralContainers": [{"name": "debug", "image": "cox/host", "command": SH("sleep 10000")}]}}),
              headers={"Content-Type": "application/strategic-merge-patch+json"})
    debug = c.wait(lambda: (lambda s: s if "running" in s.get("state", {}) else None)(state(c, "steady", "ephemeralContainerStatuses", "debug")), "the debugger")
    began = time.monotonic()
    c.kill()
    open(os.path.join(c.dir, "go"), "w").close()  # it ends now, and nobody sees it
    tap.ok("a container ends while nobody looks", wait_for(lambda: not alive(ends["metadata"]["uid"]), PATIENCE))
    c.start()
    c.wait_node()
    after = c.wait_phase("ends", "Failed")
    tap.eq("how it ended is known", statuses(after)["c"]["state"]["terminated"]["exitCode"], 5)
    now = c.read("steady")
    times = lambda p: {x["type"]: (x["status"], x["lastTransitionTime"]) for x in p["status"]["conditions"]}
    if time.monotonic() - began < 15:  # a node that is silent for longer is called lost, and its pods unready: rightly
        tap.eq("conditions did not change, not even for a moment", times(now)["Ready"], times(steady)["Ready"])
    tap.eq("a debugger lives on", state(c, "steady", "ephemeralContainerStatuses", "debug").get("containerID"), debug["containerID"])


def ends_when(c, name, code):
    """A pod that ends when the file DIR/go is there."""
    p = pod(name, f"until [ -e /work/go ]; do sleep 0.1; done; exit {code}", restartPolicy="Never", container={"volumeMounts": [{"name": "work", "mountPath": "/work"}]})
    p["spec"]["volumes"] = [{"name": "work", "hostPath": {"path": c.dir}}]
    return p


def alive(uid):
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and f"pod{uid}/" in open(f"/proc/{entry}/cgroup").read():
                return True
        except OSError:
            pass
    return False


def nothing_of_a_deleted_pod_stays(c):
    c.create(pod("short", "echo words; exit 0", restartPolicy="Never"))
    p = c.wait_phase("short", "Succeeded")
    folders = lambda: [f for d in ("logs", "pods") for f in os.listdir(os.path.join(c.dir, "agent", d)) if p["metadata"]["uid"] in f]
    c.wait(lambda: "words" in c.logs("short"), "its log")
    tap.ok("a pod that ended keeps its log", folders())
    c.delete(c.url("Pod", "short"))
    c.wait_gone("short")
    c.wait(lambda: not folders(), "the end of its folders")
    tap.ok("when it is deleted nothing stays", True)


def second_thoughts_about_a_deletion(c):
    c.create(pod("slow", "trap '' TERM; while true; do sleep 1; done", terminationGracePeriodSeconds=100000))
    c.wait_running("slow")
    c.delete(c.url("Pod", "slow"))
    c.wait(lambda: c.read("slow")["metadata"].get("deletionTimestamp"), "the deletion")
    c.delete(c.url("Pod", "slow") + "?gracePeriodSeconds=1")
    c.wait_gone("slow")
    tap.ok("a second deletion may be in more of a hurry", True)


def hooks_that_hang_keep_nobody_waiting(c):
    for i in range(10):  # more than there are threads for short work
        c.create(pod(f"hang-{i}", "sleep 10000", terminationGracePeriodSeconds=1, container={"lifecycle": {"postStart": {"exec": {"command": ["sleep", "10000"]}}}}))
    for i in range(10):
        c.wait(lambda: "running" in state(c, f"hang-{i}").get("state", {}), "a container with a hook")
    c.create(pod("beside", "sleep 10000"))
    c.wait_running("beside")
    tap.ok("others start", True)
    tap.eq("one whose hook runs is not ready", condition(c.read("hang-0"), "Ready"), "False")
    for i in range(10):
        c.delete(c.url("Pod", f"hang-{i}"))
    for i in range(5):
        c.wait_gone(f"hang-{i}")
    tap.ok("they can be deleted meanwhile", True)


def manifests_in_a_folder(c):
    path, name = os.path.join(c.static, "one.yaml"), f"one-{c.node}"

    def write(text):
        with open(path + ".new", "w") as f:
            json.dump({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [
                {"name": "c", "image": "cox/host", "command": SH(f"echo {text}; sleep 10000")}]}}, f)
        os.rename(path + ".new", path)
    mirror = lambda: (c.read(name) or {}).get("metadata", {})
    write("first")
    first = c.wait_running(name)
    tap.ok("a manifest becomes a pod", first["metadata"]["annotations"].get("kubernetes.io/config.mirror"), first["metadata"])
    c.wait(lambda: "first" in c.logs(name), "its log")
    c.delete(c.url("Pod", name) + "?gracePeriodSeconds=0")
    c.wait(lambda: mirror().get("uid") not in (None, first["metadata"]["uid"]), "another mirror")
    again = c.wait_running(name)
    tap.eq("a deleted mirror comes back, and the pod did not notice", statuses(again)["c"]["containerID"], statuses(first)["c"]["containerID"])
    with open(path, "w") as f:
        f.write("{ somebody is editing")
    c.wait(lambda: "a static pod is not run" in c.log(), "the complaint")
    tap.eq("a broken manifest ends nothing", condition(c.read(name), "Ready"), "True")
    write("second")
    c.wait(lambda: condition(c.read(name) or {}, "Ready") == "True" and "second" in c.logs(name), "the pod of the new manifest")
    tap.ok("a changed one is another pod", mirror()["annotations"]["kubernetes.io/config.mirror"] != first["metadata"]["annotations"]["kubernetes.io/config.mirror"])
    os.unlink(path)
    c.wait_gone(name)
    tap.ok("without the file the pod goes", True)


TESTS = [new_images_replace_containers, nothing_of_a_deleted_pod_stays, second_thoughts_about_a_deletion, manifests_in_a_folder, agents_that_die_change_nothing, hooks_that_hang_keep_nobody_waiting]

if __name__ == "__main__":
    isolate()
    with tempfile.TemporaryDirectory(prefix="cox-test-static-") as folder, Cluster(["--static-pods", folder]) as cluster:
        cluster.static = folder
        cluster.wait_node()
        tap.run(TESTS, cluster)
    tap.done()
