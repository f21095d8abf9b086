#!/usr/bin/env python3
"""Gödel's objects in `cox server`: room that is reserved for pods to come back, movements that recommend nodes, status of groups."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from lib.cox import PATIENCE, Server, tap, wait_for  # noqa: E402
from test_batch import PODS, add_node, bound, clear, comes_to, cox, made, nodes_of, said  # noqa: E402

API = "scheduling.godel.kubewharf.io/v1alpha1"
RESERVATIONS = f"/apis/{API}/namespaces/default/reservations"
MOVEMENTS = f"/apis/{API}/movements"
GROUPS = f"/apis/{API}/namespaces/default/podgroups"
KEY = "godel.bytedance.com/"
CPU = 40


def container(cpu):
    return {"name": "c", "image": "x", "resources": {"requests": {"cpu": str(cpu)}}}


def pod(s, name, cpu=CPU, node=None, group=None, **notes):
    meta = {"name": name, "annotations": {KEY + k.replace("_", "-"): v for k, v in notes.items()}}
    if group:
        meta["labels"] = {KEY + "pod-group-name": group}
    spec = {"schedulerName": "godel-scheduler", "terminationGracePeriodSeconds": 0, "containers": [container(cpu)]}
    if node:
        spec["nodeSelector"] = {"kubernetes.io/hostname": node}
    made(s.post(PODS, {"kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec}))


def phase(s, name):
    return s.get(f"{RESERVATIONS}/{name}").json.get("status", {}).get("phase")


def reach(s, name, want):
    tap.ok(f"reservation {name} is {want}", wait_for(lambda: phase(s, name) == want, PATIENCE, 0.05), s.get(f"{RESERVATIONS}/{name}").text)


def drop(s, name):
    s.delete(f"{PODS}/{name}?gracePeriodSeconds=0")
    wait_for(lambda: s.get(f"{PODS}/{name}").status == 404, PATIENCE)


def reserve(s, name, cpu=CPU, node=None, ttl=None, index=None):
    spec = {"template": {"spec": {"schedulerName": "godel-scheduler", "containers": [container(cpu)]}}}
    if node:
        spec["nodename"] = node
    if ttl is not None:
        spec["ttl"] = ttl
    made(s.post(RESERVATIONS, {"apiVersion": API, "kind": "Reservation", "metadata": {"name": name, "annotations": {KEY + "reservation-index": index or name}}, "spec": spec}))


def clear_reservations(s):
    s.delete(RESERVATIONS)
    wait_for(lambda: not s.get(RESERVATIONS).json["items"], PATIENCE)


def room_is_kept(s):
    reserve(s, "mine", node="one")
    reach(s, "mine", "Reserved")
    pod(s, "other", node="one")
    tap.ok("others do not get it", wait_for(lambda: "cpu" in said(s, "other"), PATIENCE, 0.05) and bound(s, "other") == 0, said(s, "other"))
    pod(s, "back", reservation_index="mine")
    tap.ok("the one it is kept for does", wait_for(lambda: nodes_of(s, "back") == {"back": "one"}, PATIENCE, 0.05), said(s, "back"))
    reach(s, "mine", "Matched")
    tap.eq("and is named", s.get(f"{RESERVATIONS}/mine").json["status"]["currentOwners"]["name"], "back")
    drop(s, "back")
    tap.ok("afterwards the room is anybody's", comes_to(s, "other", 1), said(s, "other"))
    clear(s)
    clear_reservations(s)


def a_node_is_found(s):
    pod(s, "full-1", node="one")
    pod(s, "full-2", node="two")
    comes_to(s, "full", 2)
    reserve(s, "some")
    reach(s, "some", "Pending")
    drop(s, "full-2")
    reach(s, "some", "Reserved")
    tap.ok("its node is written", wait_for(lambda: s.get(f"{RESERVATIONS}/some").json["spec"].get("nodename") == "two", PATIENCE, 0.05))
    pod(s, "other")
    tap.ok("and kept", wait_for(lambda: "cpu" in said(s, "other"), PATIENCE, 0.05) and bound(s, "other") == 0)
    s.delete(f"{RESERVATIONS}/some")
    tap.ok("until the reservation goes", comes_to(s, "other", 1), said(s, "other"))
    clear(s)


def time_runs_out(s):
    reserve(s, "brief", node="one", ttl=1)
    pod(s, "next", node="one")
    reach(s, "brief", "TimeOut")
    tap.ok("then others get the room", comes_to(s, "next", 1), said(s, "next"))
    clear(s)
    clear_reservations(s)


def deleted_pods_keep_their_room(s):
    pod(s, "web-0", node="one", reservation="true", reservation_index="web-0", reservation_ttl="600")
    comes_to(s, "web-0", 1)
    drop(s, "web-0")
    made_of_it = wait_for(lambda: [r for r in s.get(RESERVATIONS).json["items"] if r["spec"].get("nodename") == "one"], PATIENCE, 0.05)
    tap.ok("a reservation is made of the pod", made_of_it and made_of_it[0]["spec"]["ttl"] == 600, made_of_it)
    name = made_of_it[0]["metadata"]["name"]
    reach(s, name, "Reserved")
    pod(s, "thief", node="one")
    tap.ok("the room is kept", wait_for(lambda: "cpu" in said(s, "thief"), PATIENCE, 0.05) and bound(s, "thief") == 0)
    pod(s, "web-0", reservation_index="web-0")
    tap.ok("for its successor", wait_for(lambda: nodes_of(s, "web-0") == {"web-0": "one"}, PATIENCE, 0.05), said(s, "web-0"))
    reach(s, name, "Matched")
    clear(s)
    clear_reservations(s)


def scale(s, replicas):
    made(s.request("PATCH", "/apis/apps/v1/namespaces/default/replicasets/rs", {"spec": {"replicas": replicas}}, headers={"Content-Type": "application/merge-patch+json"}))


def recommend(s, owner, count):
    entry = {"owner": {"type": "ReplicaSet", "name": "rs", "namespace": "default", "uid": owner}, "recommendedNodes": [{"node": "two", "desiredPodCount": count}]}
    made(s.request("PATCH", f"{MOVEMENTS}/pack/status", {"status": {"owners": [entry]}}, headers={"Content-Type": "application/merge-patch+json"}))


def movements(s):
    labels = {"app": "rs"}
    template = {"metadata": {"labels": labels}, "spec": {"schedulerName": "godel-scheduler", "terminationGracePeriodSeconds": 0, "containers": [container(8)]}}
    rs = made(s.post("/apis/apps/v1/namespaces/default/replicasets", {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "rs"},
                                                                      "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}}))
    owner = rs["metadata"]["uid"]
    made(s.post(MOVEMENTS, {"apiVersion": API, "kind": "Movement", "metadata": {"name": "pack"}, "spec": {"creator": "rescheduler", "deletedTasks": []}}))
    recommend(s, owner, 2)
    status = lambda: s.get(f"{MOVEMENTS}/pack").json["status"]  # noqa: E731
    tap.ok("the movement says who knows of it", wait_for(lambda: status().get("notifiedSchedulers"), PATIENCE, 0.05), status())
    pod(s, "crowd", cpu=1, node="two")
    comes_to(s, "crowd", 1)
    scale(s, 2)  # an empty node would be better by the profile
    tap.ok("pods of the owner go to the node that is recommended", wait_for(lambda: list(nodes_of(s, "rs-").values()) == ["two", "two"], PATIENCE, 0.05), nodes_of(s))
    counted = lambda: sorted(t["name"] for t in status()["owners"][0]["recommendedNodes"][0].get("actualPods", []))  # noqa: E731
    tap.ok("and are counted", wait_for(lambda: counted() == sorted(nodes_of(s, "rs-")), PATIENCE, 0.05), status())
    scale(s, 3)
    tap.ok("the next one goes where it is best", wait_for(lambda: sorted(nodes_of(s, "rs-").values()) == ["one", "two", "two"], PATIENCE, 0.05), nodes_of(s))
    scale(s, 0)
    wait_for(lambda: not nodes_of(s, "rs-"), PATIENCE)
    recommend(s, owner, 1)
    pod(s, "wall", node="two", cpu=60)
    comes_to(s, "wall", 1)
    scale(s, 1)
    tap.ok("where there is no room they go elsewhere", wait_for(lambda: list(nodes_of(s, "rs-").values()) == ["one"], PATIENCE, 0.05), nodes_of(s))
    tap.ok("which is said, too", wait_for(lambda: [t["name"] for t in status()["owners"][0].get("mismatchedTasks", [])] == list(nodes_of(s, "rs-")), PATIENCE, 0.05), status())
    s.delete(f"{MOVEMENTS}/pack")
    s.delete("/apis/apps/v1/namespaces/default/replicasets/rs")
    clear(s)


def group_status(s):
    made(s.post(GROUPS, {"apiVersion": API, "kind": "PodGroup", "metadata": {"name": "ring"}, "spec": {"minMember": 2}}))
    status = lambda: s.get(f"{GROUPS}/ring").json.get("status", {})  # noqa: E731
    pod(s, "ring-0", cpu=1, group="ring")
    tap.ok("a group with too few pods is Pending", wait_for(lambda: status().get("phase") == "Pending" and status().get("pending") == 1, PATIENCE, 0.05), status())
    pod(s, "ring-1", cpu=100, group="ring")
    tap.ok("one that finds no room is PreScheduling", wait_for(lambda: status().get("phase") == "PreScheduling" and status().get("scheduleStartTime"), PATIENCE, 0.05), status())
    drop(s, "ring-1")
    pod(s, "ring-1", cpu=1, group="ring")
    tap.ok("and then Scheduled", wait_for(lambda: status().get("phase") == "Scheduled" and status().get("running") == 2, PATIENCE, 0.05), status())
    tap.ok("cox get shows it", "Scheduled" in cox(s, "get", "podgroups.scheduling.godel.kubewharf.io", "-o", "wide"))
    clear(s)
    s.delete(f"{GROUPS}/ring")


if __name__ == "__main__":
    with Server(scheduler=True) as server:
        for n in ("one", "two"):
            add_node(server, n, 0)
        tap.run([room_is_kept, a_node_is_found, time_runs_out, deleted_pods_keep_their_room, movements, group_status], server)
    tap.done()
