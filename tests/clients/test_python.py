"""The Python client of Debian 12 (python3-kubernetes): typed and dynamic, what it sends and what it raises."""
import os
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
try:
    import kubernetes  # noqa: F401
except ImportError:   # another Python runs us: Debian's packages belong to Debian's
    if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON) and os.path.exists(SYSTEM_PYTHON):
        sys.exit(subprocess.run([SYSTEM_PYTHON, *sys.argv]).returncode)
    print("ok 1 - python3-kubernetes # SKIP it is not installed\n1..1")
    sys.exit(0)

import argparse  # noqa: E402
import json  # noqa: E402
import tempfile  # noqa: E402
import threading  # noqa: E402

from kubernetes import client, config, dynamic, utils, watch  # noqa: E402
from kubernetes.client.rest import ApiException  # noqa: E402

from lib.cox import Server, tap, wait_for  # noqa: E402

NS = "python"


def raises(name, status, reason, call, *args, **kw):
    """The call ends in an ApiException with this HTTP status and this reason in its Status body."""
    try:
        call(*args, **kw)
        tap.ok(name, False, "no exception")
    except ApiException as e:
        tap.ok(name, e.status == status and (reason is None or f'"reason":"{reason}"' in e.body.replace(" ", "")), f"{e.status} {e.body}")


def configmap(name, data=None, labels=None):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels), data=data or {})


def pod(name, image="busybox"):
    return client.V1Pod(metadata=client.V1ObjectMeta(name=name, labels={"app": name}),
                        spec=client.V1PodSpec(containers=[client.V1Container(name="c", image=image)]))


def deployment(name, replicas=1):
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels={"app": name}),
                                        spec=client.V1PodSpec(containers=[client.V1Container(name="c", image="x")]))
    return client.V1Deployment(metadata=client.V1ObjectMeta(name=name),
                               spec=client.V1DeploymentSpec(replicas=replicas, selector=client.V1LabelSelector(match_labels={"app": name}), template=template))


def test_start():
    v1 = client.CoreV1Api()
    made = v1.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NS)))
    tap.eq("a namespace", (made.metadata.name, made.status.phase), (NS, "Active"))
    tap.ok("its service account", wait_for(lambda: [s for s in v1.list_namespaced_service_account(NS).items if s.metadata.name == "default"]))
    info = client.VersionApi().get_code()
    tap.eq("version", (info.major, info.git_version[0]), ("1", "v"))
    tap.ok("groups", {"apps", "batch", "rbac.authorization.k8s.io"} <= {g.name for g in client.ApisApi().get_api_versions().groups})
    tap.ok("core resources", "pods" in {r.name for r in v1.get_api_resources().resources})


def test_objects():
    v1 = client.CoreV1Api()
    made = v1.create_namespaced_config_map(NS, configmap("a", {"k": "v"}, {"set": "x"}))
    tap.ok("create fills the metadata", made.metadata.uid and made.metadata.resource_version and made.metadata.creation_timestamp)
    tap.eq("read", v1.read_namespaced_config_map("a", NS).data, {"k": "v"})
    made.data["k"] = "w"
    replaced = v1.replace_namespaced_config_map("a", NS, made)
    tap.eq("replace", replaced.data, {"k": "w"})
    raises("an old resource version is a conflict", 409, "Conflict", v1.replace_namespaced_config_map, "a", NS, made)
    raises("a second create", 409, "AlreadyExists", v1.create_namespaced_config_map, NS, configmap("a"))
    raises("absent", 404, "NotFound", v1.read_namespaced_config_map, "absent", NS)
    raises("bad name", 422, "Invalid", v1.create_namespaced_config_map, NS, configmap("Not_Good"))
    raises("absent namespace", 404, "NotFound", v1.create_namespaced_config_map, "absent", configmap("a"))
    dry = v1.create_namespaced_config_map(NS, configmap("dry"), dry_run="All")
    tap.ok("dry run answers an object", dry.metadata.uid)
    raises("and stores none", 404, "NotFound", v1.read_namespaced_config_map, "dry", NS)
    v1.create_namespaced_secret(NS, client.V1Secret(metadata=client.V1ObjectMeta(name="s"), string_data={"user": "me"}))
    tap.eq("a secret's bytes", v1.read_namespaced_secret("s", NS).data, {"user": "bWU="})


def test_lists():
    v1 = client.CoreV1Api()
    for n in range(5):
        v1.create_namespaced_config_map(NS, configmap(f"l{n}", labels={"list": "yes", "odd": str(n % 2)}))
    names = lambda got: sorted(c.metadata.name for c in got.items)
    tap.eq("label selector", names(v1.list_namespaced_config_map(NS, label_selector="list=yes,odd!=1")), ["l0", "l2", "l4"])
    tap.eq("field selector", names(v1.list_namespaced_config_map(NS, field_selector="metadata.name=l3")), ["l3"])
    seen, token, pages = [], None, 0
    while True:
        page = v1.list_namespaced_config_map(NS, label_selector="list=yes", limit=2, _continue=token)
        seen += names(page)
        pages += 1
        token = page.metadata._continue
        if not token:
            break
    tap.eq("pages", (seen, pages), (["l0", "l1", "l2", "l3", "l4"], 3))
    tap.ok("all namespaces", {"python", "kube-system"} <= {c.metadata.namespace for c in v1.list_config_map_for_all_namespaces().items})
    raises("a bad selector", 400, "BadRequest", v1.list_namespaced_config_map, NS, label_selector="a==b==c")
    raises("a bad continue token", 400, None, v1.list_namespaced_config_map, NS, limit=1, _continue="nonsense")
    v1.delete_collection_namespaced_config_map(NS, label_selector="list=yes")
    tap.eq("delete collection", names(v1.list_namespaced_config_map(NS, label_selector="list=yes")), [])


def test_patches():
    v1, apps = client.CoreV1Api(), client.AppsV1Api()
    apps.create_namespaced_deployment(NS, deployment("d", 2))
    got = apps.patch_namespaced_deployment("d", NS, {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "y"}]}}}})
    tap.eq("a dict is a strategic merge", [c.name for c in got.spec.template.spec.containers], ["side", "c"])
    got = apps.patch_namespaced_deployment("d", NS, [{"op": "replace", "path": "/spec/replicas", "value": 3}])
    tap.eq("a list is a JSON patch", got.spec.replicas, 3)
    raises("a failing JSON patch", 422, "Invalid", apps.patch_namespaced_deployment, "d", NS, [{"op": "test", "path": "/spec/replicas", "value": 1}])
    raises("a value out of range", 422, "Invalid", apps.patch_namespaced_deployment, "d", NS, {"spec": {"replicas": -1}})
    v1.create_namespaced_config_map(NS, configmap("p", {"a": "1", "b": "2"}))
    got = v1.patch_namespaced_config_map("p", NS, {"data": {"a": None, "c": "3"}})
    tap.eq("null removes", got.data, {"b": "2", "c": "3"})
    scale = apps.patch_namespaced_deployment_scale("d", NS, {"spec": {"replicas": 5}})
    tap.eq("scale", (scale.spec.replicas, scale.status.selector), (5, "app=d"))
    scale.spec.replicas, scale.metadata.resource_version = 1, None   # a controller writes its status meanwhile
    tap.eq("replace scale", apps.replace_namespaced_deployment_scale("d", NS, scale).spec.replicas, 1)
    got = apps.patch_namespaced_deployment_status("d", NS, {"status": {"collisionCount": 4}, "spec": {"replicas": 9}})
    tap.eq("status alone", (got.status.collision_count, got.spec.replicas), (4, 1))


def test_pods():
    v1 = client.CoreV1Api()
    made = v1.create_namespaced_pod(NS, pod("p1"))
    tap.eq("defaults", (made.spec.restart_policy, made.spec.containers[0].image_pull_policy, made.status.phase, made.status.qos_class),
           ("Always", "Always", "Pending", "BestEffort"))
    v1.create_namespaced_pod_binding("p1", NS, client.V1Binding(metadata=client.V1ObjectMeta(name="p1"), target=client.V1ObjectReference(kind="Node", name="n1")),
                                     _preload_content=False)
    tap.eq("bound", v1.read_namespaced_pod("p1", NS).spec.node_name, "n1")
    got = v1.patch_namespaced_pod_status("p1", NS, {"status": {"phase": "Running", "podIP": "10.0.0.9"}})
    tap.eq("status", (got.status.phase, got.status.pod_ip), ("Running", "10.0.0.9"))
    body = pod("p1", "busybox:2")
    raises("replace may not drop the node", 422, "Invalid", v1.replace_namespaced_pod, "p1", NS, body)
    gone = v1.delete_namespaced_pod("p1", NS)
    tap.ok("a bound pod gets its grace", gone.metadata.deletion_timestamp and gone.metadata.deletion_grace_period_seconds == 30)
    v1.delete_namespaced_pod("p1", NS, grace_period_seconds=0)
    raises("and goes at once without", 404, "NotFound", v1.read_namespaced_pod, "p1", NS)
    raises("a bad pod", 422, "Invalid", v1.create_namespaced_pod, NS, pod("Bad_Name"))


def test_deletes():
    v1 = client.CoreV1Api()
    for policy in ("Orphan", "Background"):
        owner, child = configmap("owner-" + policy.lower()), configmap("child-" + policy.lower())
        made = v1.create_namespaced_config_map(NS, owner)
        child.metadata.owner_references = [client.V1OwnerReference(api_version="v1", kind="ConfigMap", name=owner.metadata.name, uid=made.metadata.uid)]
        v1.create_namespaced_config_map(NS, child)
        v1.delete_namespaced_config_map(owner.metadata.name, NS, propagation_policy=policy)
    names = lambda: {c.metadata.name for c in v1.list_namespaced_config_map(NS).items}
    tap.ok("owners go", wait_for(lambda: not {"owner-orphan", "owner-background"} & names()))
    tap.ok("children go in the background", wait_for(lambda: "child-background" not in names()))
    tap.eq("orphans stay without their reference", v1.read_namespaced_config_map("child-orphan", NS).metadata.owner_references, None)
    v1.create_namespaced_config_map(NS, configmap("pre"))
    raises("a precondition", 409, "Conflict", v1.delete_namespaced_config_map, "pre", NS, body=client.V1DeleteOptions(preconditions=client.V1Preconditions(uid="other")))
    done = v1.delete_namespaced_config_map("pre", NS, body=client.V1DeleteOptions())
    tap.eq("delete answers a Status", (done.status, done.details.name), ("Success", "pre"))


def test_watch():
    v1 = client.CoreV1Api()
    first = v1.list_namespaced_config_map(NS).metadata.resource_version

    def change():
        v1.create_namespaced_config_map(NS, configmap("w"))
        v1.patch_namespaced_config_map("w", NS, {"data": {"a": "b"}})
        v1.delete_namespaced_config_map("w", NS)

    worker = threading.Thread(target=change)
    worker.start()
    seen, w = [], watch.Watch()
    for event in w.stream(v1.list_namespaced_config_map, NS, resource_version=first, timeout_seconds=20):
        seen.append((event["type"], event["object"].metadata.name))
        if event["type"] == "DELETED":
            w.stop()
    worker.join()
    tap.eq("a watch from a list", seen, [("ADDED", "w"), ("MODIFIED", "w"), ("DELETED", "w")])
    count = sum(1 for _ in watch.Watch().stream(v1.list_namespace, timeout_seconds=1))
    tap.ok("without a version it begins with what is there", count >= 4)


CRD = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "kites.sky.example"},
       "spec": {"group": "sky.example", "scope": "Namespaced", "names": {"plural": "kites", "singular": "kite", "kind": "Kite"},
                "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                              "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                                  "spec": {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer", "maximum": 9}, "color": {"type": "string", "default": "red"}}},
                                  "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}}


def test_custom():
    ext, api = client.ApiextensionsV1Api(), client.CustomObjectsApi()
    ext.create_custom_resource_definition(CRD)

    def established():
        got = ext.read_custom_resource_definition("kites.sky.example")
        return any(c.type == "Established" and c.status == "True" for c in got.status.conditions or [])

    tap.ok("established", wait_for(established))
    where = ("sky.example", "v1", NS, "kites")
    kite = lambda **spec: {"apiVersion": "sky.example/v1", "kind": "Kite", "metadata": {"name": "k"}, "spec": spec}

    def create():
        try:
            return api.create_namespaced_custom_object(*where, kite(size=3))
        except ApiException as e:
            if e.status != 404:
                raise

    made = wait_for(create)
    tap.eq("defaults", made["spec"], {"size": 3, "color": "red"})
    raises("the schema holds", 422, "Invalid", api.patch_namespaced_custom_object, *where, "k", {"spec": {"size": 99}})
    got = api.patch_namespaced_custom_object(*where, "k", {"spec": {"color": "blue"}})
    tap.eq("a merge patch", (got["spec"]["color"], got["metadata"]["generation"]), ("blue", 2))
    got = api.patch_namespaced_custom_object_status(*where, "k", {"status": {"up": True}, "spec": {"size": 1}})
    tap.eq("its status", (got["status"], got["spec"]["size"]), ({"up": True}, 3))
    tap.eq("list", [k["metadata"]["name"] for k in api.list_namespaced_custom_object(*where)["items"]], ["k"])
    api.delete_namespaced_custom_object(*where, "k")
    raises("gone", 404, "NotFound", api.get_namespaced_custom_object, *where, "k")


def test_dynamic():
    with tempfile.TemporaryDirectory() as folder:
        check_dynamic(dynamic.DynamicClient(client.ApiClient(), cache_file=os.path.join(folder, "discovery.json")))


def check_dynamic(dyn):
    api = dyn.resources.get(api_version="v1", kind="ConfigMap")
    api.create(body={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dyn"}, "data": {"a": "1"}}, namespace=NS)
    tap.eq("get", api.get(name="dyn", namespace=NS).to_dict()["data"], {"a": "1"})
    got = api.patch(name="dyn", namespace=NS, body={"data": {"b": "2"}}, content_type="application/merge-patch+json")
    tap.eq("merge patch", got.to_dict()["data"], {"a": "1", "b": "2"})
    text = json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dyn"}, "data": {"a": "5"}})   # this version cannot send a dict
    got = api.server_side_apply(name="dyn", namespace=NS, field_manager="me", force_conflicts=True, body=text)
    tap.eq("apply", (got.data.a, [m.operation for m in got.metadata.managedFields if m.manager == "me"]), ("5", ["Apply"]))
    tap.eq("selectors", [c.metadata.name for c in api.get(namespace=NS, field_selector="metadata.name=dyn").items], ["dyn"])
    deployments = dyn.resources.get(api_version="apps/v1", kind="Deployment")
    tap.ok("subresources are known", {"scale", "status"} <= set(deployments.subresources))
    kites = dyn.resources.get(api_version="sky.example/v1", kind="Kite")
    kites.create(body={"apiVersion": "sky.example/v1", "kind": "Kite", "metadata": {"name": "d"}, "spec": {"size": 2}}, namespace=NS)
    tap.eq("custom resources too", kites.get(name="d", namespace=NS).spec.color, "red")
    try:
        api.get(name="absent", namespace=NS)
        tap.ok("absent", False)
    except dynamic.exceptions.NotFoundError as e:
        tap.eq("absent", (e.status, e.summary()), (404, 'configmaps "absent" not found'))
    client.ApiextensionsV1Api().delete_custom_resource_definition("kites.sky.example")


def test_from_yaml():
    documents = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "y1"}}, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "y2"},
                 "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}}]
    for document in documents:
        utils.create_from_dict(client.ApiClient(), document, namespace=NS)
    job = client.BatchV1Api().read_namespaced_job("y2", NS)
    tap.eq("create_from_dict", (job.spec.backoff_limit, job.spec.completion_mode), (6, "NonIndexed"))


def test_access():
    auth = client.AuthorizationV1Api()
    ask = lambda **kw: auth.create_self_subject_access_review(client.V1SelfSubjectAccessReview(
        spec=client.V1SelfSubjectAccessReviewSpec(resource_attributes=client.V1ResourceAttributes(**kw)))).status.allowed
    tap.eq("the administrator may", ask(verb="delete", resource="nodes"), True)
    review = auth.create_subject_access_review(client.V1SubjectAccessReview(spec=client.V1SubjectAccessReviewSpec(
        user="jane", resource_attributes=client.V1ResourceAttributes(verb="get", resource="pods", namespace=NS))))
    tap.eq("jane may not", bool(review.status.allowed), False)
    rbac, v1 = client.RbacAuthorizationV1Api(), client.CoreV1Api()
    v1.create_namespaced_service_account(NS, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    rbac.create_namespaced_role_binding(NS, {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "robot"},
                                             "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
                                             "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": NS}]})
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600))
    token = v1.create_namespaced_service_account_token("robot", NS, request)
    settings = client.Configuration.get_default_copy()
    settings.cert_file = settings.key_file = None
    settings.api_key = {"authorization": "Bearer " + token.status.token}
    robot = client.CoreV1Api(client.ApiClient(settings))
    tap.ok("a service account reads with its token", wait_for(lambda: robot.list_namespaced_pod(NS) is not None))
    raises("and may not write", 403, "Forbidden", robot.create_namespaced_config_map, NS, configmap("no"))
    settings.api_key = {"authorization": "Bearer nonsense"}
    raises("a wrong token", 401, "Unauthorized", client.CoreV1Api(client.ApiClient(settings)).list_namespaced_pod, NS)


def test_end():
    v1 = client.CoreV1Api()
    v1.delete_namespace(NS)
    tap.ok("the namespace goes with all in it", wait_for(lambda: NS not in [n.metadata.name for n in v1.list_namespace().items]))


TESTS = [test_start, test_objects, test_lists, test_patches, test_pods, test_deletes, test_watch, test_custom, test_dynamic, test_from_yaml, test_access, test_end]


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--kubeconfig", help="another API server")
    args = ap.parse_args()
    sys.argv[1:] = []
    if args.kubeconfig:
        config.load_kube_config(args.kubeconfig)
        tap.run(TESTS)
    else:
        with Server() as s:
            config.load_kube_config(s.kubeconfig)
            tap.run(TESTS)
    tap.done()


if __name__ == "__main__":
    main()
