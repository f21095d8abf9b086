#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Claims and volumes: static binding, phases, reclaim policies, classes that wait for the first consumer, volumes on a node's disk.  The test plays the scheduler and the node's
agent."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, Server, tap  # noqa: E402

CLAIMS, VOLUMES, CLASSES = "/api/v1/namespaces/default/persistentvolumeclaims", "/api/v1/persistentvolumes", "/apis/storage.k8s.io/v1/storageclasses"


def until(condition, timeout=PATIENCE):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    return condition()


def volume(s, name, size="1Gi", cls="manual", policy="Retain", spec=None, **meta):
    r = s.post(VOLUMES, {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": name, **meta},
                         "spec": {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": cls, "persistentVolumeReclaimPolicy": policy,
                                  "hostPath": {"path": "/x/" + name}, **(spec or {})}})
    return tap.ok(f"volume {name} is made", r.status == 201, r)


def claim(s, name, size="1Gi", cls="manual", spec=None, **meta):
    cls = {} if cls is None else {"storageClassName": cls}
    r = s.post(CLAIMS, {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": name, **meta},
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **cls, **(spec or {})}})
    tap.ok(f"claim {name} is made", r.status == 201, r)
    return r.json


def phase(s, path):
    r = s.get(path)
    return r.json["status"].get("phase") if r.status == 200 else r.status


def becomes(s, path, want):
    return tap.ok(f"{path.rsplit('/', 1)[1]} becomes {want}", until(lambda: phase(s, path) == want), s.get(path).text)


def barrier(s, n=[0]):
    """A claim and volume of their own that come after all that was asked before: when they are bound, the controller has looked at the rest."""
    n[0] += 1
    name = f"barrier-{n[0]}"
    s.post(VOLUMES, {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": name}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                     "storageClassName": name, "hostPath": {"path": "/x"}}})
    s.post(CLAIMS, {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": name}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": name,
                    "resources": {"requests": {"storage": "1Gi"}}}})
    return until(lambda: phase(s, f"{CLAIMS}/{name}") == "Bound")


def static(s):
    volume(s, "big", "10Gi")
    volume(s, "small", "2Gi")
    volume(s, "other", "2Gi", cls="elsewhere")
    becomes(s, f"{VOLUMES}/small", "Available")
    claim(s, "c1", "1Gi")
    becomes(s, f"{CLAIMS}/c1", "Bound")
    c = s.get(f"{CLAIMS}/c1").json
    tap.eq("the smallest that fits", (c["spec"]["volumeName"], c["status"]["capacity"], c["status"]["accessModes"]), ("small", {"storage": "2Gi"}, ["ReadWriteOnce"]))
    tap.ok("as Kubernetes marks it", c["metadata"]["annotations"].get("pv.kubernetes.io/bind-completed") == "yes" and c["metadata"]["annotations"].get("pv.kubernetes.io/bound-by-controller") == "yes", c)
    becomes(s, f"{VOLUMES}/small", "Bound")
    tap.eq("and the volume knows its claim", s.get(f"{VOLUMES}/small").json["spec"]["claimRef"]["uid"], c["metadata"]["uid"])
    claim(s, "c2", "50Gi")
    barrier(s)
    tap.eq("one that nothing fits waits", phase(s, f"{CLAIMS}/c2"), "Pending")
    volume(s, "huge", "50Gi")
    becomes(s, f"{CLAIMS}/c2", "Bound")
    # meant for each other
    claim(s, "c3", "1Gi", spec={"volumeName": "later"})
    barrier(s)
    tap.eq("a claim waits for its volume", phase(s, f"{CLAIMS}/c3"), "Pending")
    volume(s, "later", "1Gi")
    becomes(s, f"{CLAIMS}/c3", "Bound")
    volume(s, "kept", "1Gi", spec={"claimRef": {"namespace": "default", "name": "c4"}})
    claim(s, "c5", "1Gi")
    becomes(s, f"{CLAIMS}/c5", "Bound")
    tap.eq("a volume that waits is nobody else's", s.get(f"{CLAIMS}/c5").json["spec"]["volumeName"], "big")
    claim(s, "c4", "1Gi")
    becomes(s, f"{CLAIMS}/c4", "Bound")
    tap.eq("but its claim's", s.get(f"{CLAIMS}/c4").json["spec"]["volumeName"], "kept")
    volume(s, "labelled", "1Gi", labels={"disk": "ssd"})
    claim(s, "c6", "1Gi", spec={"selector": {"matchLabels": {"disk": "ssd"}}})
    becomes(s, f"{CLAIMS}/c6", "Bound")
    tap.eq("selectors count", s.get(f"{CLAIMS}/c6").json["spec"]["volumeName"], "labelled")


def ends(s):
    s.delete(f"{CLAIMS}/c1")
    tap.ok("a claim goes", until(lambda: s.get(f"{CLAIMS}/c1").status == 404))
    becomes(s, f"{VOLUMES}/small", "Released")
    claim(s, "c1", "1Gi")
    barrier(s)
    tap.eq("another of its name does not get it", phase(s, f"{CLAIMS}/c1"), "Pending")
    s.patch(f"{VOLUMES}/small", {"spec": {"claimRef": None}})
    becomes(s, f"{CLAIMS}/c1", "Bound")
    volume(s, "stuck", "1Gi", cls="stuck", policy="Delete")
    claim(s, "c7", cls="stuck")
    becomes(s, f"{CLAIMS}/c7", "Bound")
    s.delete(f"{CLAIMS}/c7")
    becomes(s, f"{VOLUMES}/stuck", "Failed")
    tap.has("what nobody can delete says so", s.get(f"{VOLUMES}/stuck").json["status"].get("message", ""), "delete")
    # a volume that goes under its claim
    s.delete(f"{VOLUMES}/huge")
    barrier(s)
    tap.eq("a bound volume stays", phase(s, f"{VOLUMES}/huge"), "Bound")
    s.patch(f"{VOLUMES}/huge", {"metadata": {"finalizers": None}})
    becomes(s, f"{CLAIMS}/c2", "Lost")


def node(s, name, **notes):
    s.post("/api/v1/nodes", {"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}, "annotations": notes}})


def select(s, name, where):
    return s.patch(f"{CLAIMS}/{name}", {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": where}}})


def local_path(s):
    classes = s.get(CLASSES).json["items"]
    tap.eq("there is a class for it", [(c["metadata"]["name"], c["volumeBindingMode"], c["metadata"]["annotations"].get("storageclass.kubernetes.io/is-default-class")) for c in classes],
           [("local-path", "WaitForFirstConsumer", "true")])
    node(s, "n1", **{"coxswain.dev/volumes-dir": "/srv/volumes"})
    made = claim(s, "data", "3Gi", cls=None)
    tap.eq("it is the default", made["spec"].get("storageClassName"), "local-path")
    barrier(s)
    tap.eq("it waits for a pod", phase(s, f"{CLAIMS}/data"), "Pending")
    select(s, "data", "n1")
    becomes(s, f"{CLAIMS}/data", "Bound")
    name = s.get(f"{CLAIMS}/data").json["spec"]["volumeName"]
    v = s.get(f"{VOLUMES}/{name}").json
    tap.eq("the folder", v["spec"]["hostPath"], {"path": f"/srv/volumes/local-path/{name}_default_data", "type": "DirectoryOrCreate"})
    tap.eq("on the node", v["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"], [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}])
    tap.ok("with a finalizer and a label for its agent", "coxswain.dev/local-path" in v["metadata"]["finalizers"] and v["metadata"]["labels"] == {"coxswain.dev/node": "n1"}, v["metadata"])
    tap.eq("of the size", v["spec"]["capacity"], {"storage": "3Gi"})
    s.delete(f"{CLAIMS}/data")
    tap.ok("with its claim it goes", until(lambda: "deletionTimestamp" in s.get(f"{VOLUMES}/{name}").json["metadata"]))
    tap.ok("when the agent has removed the folder", until(lambda: s.get(f"{VOLUMES}/{name}").json["metadata"].get("finalizers") == ["coxswain.dev/local-path"]))
    s.patch(f"{VOLUMES}/{name}", {"metadata": {"finalizers": None}})
    tap.eq("and then for good", s.get(f"{VOLUMES}/{name}").status, 404)
    # the node goes with its disk
    claim(s, "data2", "3Gi", cls="local-path")
    select(s, "data2", "n1")
    becomes(s, f"{CLAIMS}/data2", "Bound")
    name = s.get(f"{CLAIMS}/data2").json["spec"]["volumeName"]
    s.delete(f"{CLAIMS}/data2")
    until(lambda: "deletionTimestamp" in s.get(f"{VOLUMES}/{name}").json.get("metadata", {}))
    s.delete("/api/v1/nodes/n1")
    tap.ok("volumes of a node that is gone go", until(lambda: s.get(f"{VOLUMES}/{name}").status == 404))
    # the scheduler chose a node that went
    claim(s, "data3", "1Gi", cls="local-path")
    select(s, "data3", "n1")
    tap.ok("a node that is gone is not waited for", until(lambda: "volume.kubernetes.io/selected-node" not in s.get(f"{CLAIMS}/data3").json["metadata"].get("annotations", {})))
    # what it is not
    claim(s, "shared", "1Gi", cls="local-path", spec={"accessModes": ["ReadWriteMany"]})
    node(s, "n2")
    select(s, "shared", "n2")
    events = lambda: [e["reason"] for e in s.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dshared").json["items"]]
    tap.ok("a shared one cannot be made, and says so", until(lambda: "ProvisioningFailed" in events()), events())
    tap.eq("and waits", phase(s, f"{CLAIMS}/shared"), "Pending")


def successors(s):
    """Claims of the same name, one after the other, while volumes of the former ones are still there."""
    node(s, "n3")
    old = set()
    for turn in range(3):
        claim(s, "again", "1Gi", cls="local-path")
        select(s, "again", "n3")
        becomes(s, f"{CLAIMS}/again", "Bound")
        name = s.get(f"{CLAIMS}/again").json["spec"].get("volumeName")
        tap.ok("with a volume of its own", name and name not in old, name)
        old.add(name)
        s.patch(f"{VOLUMES}/{name}", {"spec": {"persistentVolumeReclaimPolicy": "Retain"}})
        s.delete(f"{CLAIMS}/again")
        tap.ok("the claim goes", until(lambda: s.get(f"{CLAIMS}/again").status == 404))
        becomes(s, f"{VOLUMES}/{name}", "Released")
    # one that goes before it could take what was promised to it
    s.post(CLASSES, {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "hasty"}, "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"})
    made = claim(s, "hasty", cls="hasty", finalizers=["test.example/hold"])
    s.delete(f"{CLAIMS}/hasty")
    volume(s, "promised", cls="hasty", spec={"claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": "default", "name": "hasty", "uid": made["metadata"]["uid"]}})
    becomes(s, f"{VOLUMES}/promised", "Bound")
    s.patch(f"{CLAIMS}/hasty", {"metadata": {"finalizers": None}})
    tap.ok("the claim goes", until(lambda: s.get(f"{CLAIMS}/hasty").status == 404))
    becomes(s, f"{VOLUMES}/promised", "Released")


def others(s):
    s.post(CLASSES, {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "far"}, "provisioner": "example.com/far"})
    claim(s, "far", cls="far")
    tap.ok("a provisioner elsewhere is called", until(lambda: s.get(f"{CLAIMS}/far").json["metadata"].get("annotations", {}).get("volume.kubernetes.io/storage-provisioner") == "example.com/far"))
    # a class that waits takes only what the scheduler chose
    s.post(CLASSES, {"kind": "StorageClass", "apiVersion": "storage.k8s.io/v1", "metadata": {"name": "wait"}, "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer"})
    volume(s, "w1", cls="wait")
    made = claim(s, "wait", cls="wait")
    barrier(s)
    tap.eq("it is not bound before", phase(s, f"{CLAIMS}/wait"), "Pending")
    s.patch(f"{VOLUMES}/w1", {"spec": {"claimRef": {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": "default", "name": "wait", "uid": made["metadata"]["uid"]}}})
    becomes(s, f"{CLAIMS}/wait", "Bound")
    # killed in the middle of many
    for i in range(20):
        s.post(CLAIMS, {"kind": "PersistentVolumeClaim", "apiVersion": "v1", "metadata": {"name": f"many{i}"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "many",
                        "resources": {"requests": {"storage": "1Gi"}}}})
        s.post(VOLUMES, {"kind": "PersistentVolume", "apiVersion": "v1", "metadata": {"name": f"many{i}"}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
                         "storageClassName": "many", "hostPath": {"path": "/x"}}})
        if i == 12:
            s.kill()
            s.start()
    bound = lambda: {c["spec"].get("volumeName") for c in s.get(CLAIMS).json["items"] if c["metadata"]["name"].startswith("many") and c["status"].get("phase") == "Bound"}
    tap.ok("each of many claims has a volume of its own", until(lambda: len(bound()) == 20), bound())


def templates(s):
    """Volumes of a pod that are templates of claims."""
    def pod(name):
        template = {"metadata": {"labels": {"for": name}, "annotations": {"note": "x"}}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
        return s.post("/api/v1/namespaces/default/pods", {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": name}, "spec": {
            "nodeSelector": {"no": "where"}, "containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "none", "emptyDir": {}}, *({"name": n, "ephemeral": {"volumeClaimTemplate": template}} for n in "ab")]}}).json

    claim(s, "taken-a")
    made = pod("own")["metadata"]
    tap.ok("a template is a claim of the pod", until(lambda: all(s.get(f"{CLAIMS}/own-{n}").status == 200 for n in "ab")))
    c = s.get(f"{CLAIMS}/own-a").json
    tap.eq("owned by it", c["metadata"].get("ownerReferences"), [{"apiVersion": "v1", "kind": "Pod", "name": "own", "uid": made["uid"], "controller": True, "blockOwnerDeletion": True}])
    tap.eq("as the template says", (c["metadata"]["labels"], c["metadata"]["annotations"]["note"], c["spec"]["storageClassName"], c["spec"]["resources"]["requests"]), ({"for": "own"}, "x", "local-path", {"storage": "1Gi"}))
    old = s.get(f"{CLAIMS}/own-b").json["metadata"]["uid"]
    s.delete(f"{CLAIMS}/own-b")
    tap.ok("one that is deleted too early comes again", until(lambda: s.get(f"{CLAIMS}/own-b").json.get("metadata", {}).get("uid") not in (None, old)))
    pod("taken")
    events = lambda: [e["message"] for e in s.get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dtaken").json["items"] if e["reason"] == "FailedBinding"]
    tap.ok("the other volumes of a pod have theirs", until(lambda: s.get(f"{CLAIMS}/taken-b").status == 200))
    tap.ok("a claim of the name that is not the pod's is told of", until(lambda: "ephemeral volume a: PVC default/taken-a was not created for pod default/taken (pod is not owner)" in events()), events())
    tap.eq("and left alone", s.get(f"{CLAIMS}/taken-a").json["metadata"].get("ownerReferences"), None)
    for name in ("own", "taken"):
        s.delete(f"/api/v1/namespaces/default/pods/{name}?gracePeriodSeconds=0")
    tap.ok("claims go with their pod", until(lambda: all(s.get(f"{CLAIMS}/{n}").status == 404 for n in ("own-a", "own-b", "taken-b"))))
    tap.eq("what was there before stays", s.get(f"{CLAIMS}/taken-a").status, 200)


if __name__ == "__main__":
    with Server() as main_server:
        tap.run([static, ends, local_path, successors, templates, others], main_server)
    tap.done()
