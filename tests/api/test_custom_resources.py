"""CustomResourceDefinitions: served at once, pruned, defaulted, validated, with columns, subresources and several versions; deletion removes the objects."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import Server, Watch, tap, wait_for  # noqa: E402

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BOATS = "/apis/example.com/v1/namespaces/default/boats"
SCHEMA = {"type": "object", "properties": {
    "spec": {"type": "object", "required": ["crew"], "properties": {
        "crew": {"type": "integer", "minimum": 1, "maximum": 9},
        "kind": {"type": "string", "enum": ["scull", "sweep"], "default": "scull"},
        "name": {"type": "string", "pattern": "^[a-z]+$"},
        "seats": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["no"],
                  "items": {"type": "object", "required": ["no"], "properties": {"no": {"type": "integer"}, "who": {"type": "string"}}}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}},
    "status": {"type": "object", "properties": {"afloat": {"type": "boolean"}, "crew": {"type": "integer"}}}}}


def crd(**version):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boats.example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"plural": "boats", "singular": "boat", "kind": "Boat", "shortNames": ["bt"], "categories": ["all"]},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA},
                                   "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.crew", "statusReplicasPath": ".status.crew"}},
                                   "additionalPrinterColumns": [{"name": "Crew", "type": "integer", "jsonPath": ".spec.crew"}], **version}]}}


def boat(called, **spec):
    return {"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": called}, "spec": {"crew": 4, **spec}}


def test_definition(s):
    r = s.post(CRDS, crd())
    tap.eq("a CRD is accepted", r.status, 201)
    conditions = {c["type"]: c["status"] for c in r.json["status"]["conditions"]}
    tap.eq("and established in the same answer", conditions, {"NamesAccepted": "True", "Established": "True"})
    tap.eq("its resource is served at once", s.post(BOATS, boat("first")).status, 201)
    resources = [x["name"] for x in s.get("/apis/example.com/v1").json["resources"]]
    tap.eq("discovery", resources, ["boats", "boats/scale", "boats/status"] if resources[1] == "boats/scale" else ["boats", "boats/status", "boats/scale"])
    tap.ok("OpenAPI v3 has it", "com.example.v1.Boat" in s.get("/openapi/v3/apis/example.com/v1").text)
    bad = crd()
    bad["metadata"]["name"] = "wrong.example.com"
    tap.eq("a name that does not fit is 422", s.post(CRDS, bad).status, 422)


def test_objects(s):
    r = s.post(BOATS, boat("a", unknown=1, free={"x": {"y": 2}}))
    tap.eq("defaulted", r.json["spec"]["kind"], "scull")
    tap.ok("unknown fields are pruned", "unknown" not in r.json["spec"], r)
    tap.eq("but not where the schema keeps them", r.json["spec"]["free"], {"x": {"y": 2}})
    tap.eq("generation", r.json["metadata"]["generation"], 1)
    for name, spec, field in (("maximum", {"crew": 10}, "spec.crew"), ("enum", {"kind": "raft"}, "spec.kind"), ("pattern", {"name": "A1"}, "spec.name"),
                              ("type", {"crew": "four"}, "spec.crew"), ("required in a list", {"seats": [{"who": "x"}]}, "spec.seats[0].no"),
                              ("duplicate keys", {"seats": [{"no": 1}, {"no": 1}]}, "spec.seats[1]")):
        r = s.post(BOATS, boat("bad", **spec))
        tap.eq(f"{name} is 422 at {field}", (r.status, r.json["details"]["causes"][0]["field"]), (422, field))
    r = s.request("POST", BOATS + "?fieldValidation=Strict", json.dumps(boat("strict", oops=1)), headers={"Content-Type": "application/json"})
    tap.eq("strict refuses unknown fields", r.status, 400)
    r = s.patch(BOATS + "/a", {"spec": {"crew": 8}})
    tap.eq("merge patch", (r.status, r.json["spec"]["crew"], r.json["metadata"]["generation"]), (200, 8, 2))
    tap.eq("strategic merge is 415", s.patch(BOATS + "/a", {"spec": {"crew": 8}}, kind="strategic").status, 415)
    r = s.patch(BOATS + "/a?fieldManager=m", {**boat("a"), "spec": {"crew": 8, "seats": [{"no": 1, "who": "cox"}]}}, kind="apply")
    tap.eq("server-side apply", (r.status, r.json["spec"]["seats"]), (200, [{"no": 1, "who": "cox"}]))
    r = s.put(BOATS + "/a", boat("a"))
    tap.eq("an update needs a resourceVersion", r.status, 422)


def test_subresources(s):
    r = s.patch(BOATS + "/a/status", {"status": {"afloat": True, "crew": 8}, "spec": {"crew": 1}})
    tap.eq("status", (r.status, r.json["status"], r.json["spec"]["crew"]), (200, {"afloat": True, "crew": 8}, 8))
    r = s.patch(BOATS + "/a", {"status": {"afloat": False}})
    tap.eq("the main resource ignores it", r.json["status"]["afloat"], True)
    r = s.get(BOATS + "/a/scale")
    tap.eq("scale", (r.json["kind"], r.json["spec"]["replicas"], r.json["status"]["replicas"]), ("Scale", 8, 8))
    s.patch(BOATS + "/a/scale", {"spec": {"replicas": 2}})
    tap.eq("scaled", s.get(BOATS + "/a").json["spec"]["crew"], 2)


def test_table(s):
    t = s.get(BOATS, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}).json
    tap.eq("columns", [c["name"] for c in t["columnDefinitions"]][:2], ["Name", "Crew"])
    tap.eq("cells", t["rows"][0]["cells"][:2], ["a", 2])


def test_versions(s):
    live = s.get(CRDS + "/boats.example.com").json
    second = {**live["spec"]["versions"][0], "name": "v2", "storage": False}
    r = s.patch(CRDS + "/boats.example.com", {"spec": {"versions": [live["spec"]["versions"][0], second]}})
    tap.eq("a second version", r.status, 200)
    got = s.get("/apis/example.com/v2/namespaces/default/boats/a")
    tap.eq("serves the same objects", (got.status, got.json["apiVersion"], got.json["spec"]["crew"]), (200, "example.com/v2", 2))
    groups = [g for g in s.get("/apis").json["groups"] if g["name"] == "example.com"]
    tap.eq("the newer one is preferred", groups[0]["preferredVersion"]["version"], "v2")


def test_deletion(s):
    w = Watch(s, BOATS + "?watch=true&resourceVersion=" + s.get(BOATS).json["metadata"]["resourceVersion"])
    s.delete(CRDS + "/boats.example.com")
    tap.ok("the CRD goes", wait_for(lambda: s.get(CRDS + "/boats.example.com").status == 404))
    tap.ok("after its objects", w.wait(lambda e: {x["object"]["metadata"]["name"] for x in e if x["type"] == "DELETED"} >= {"a", "first"}), w.events)
    tap.eq("and is served no more", s.get(BOATS).status, 404)
    w.close()


def main():
    with Server() as s:
        tap.run((test_definition, test_objects, test_subresources, test_table, test_versions, test_deletion), s)
    tap.done()


main()
