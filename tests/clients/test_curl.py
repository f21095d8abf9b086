"""Plain curl, as people paste it: health, version, a token in a header, watches, patches."""
import base64
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from lib.cox import PATIENCE, Server, configmap, tap, wait_for  # noqa: E402

CM = "/api/v1/namespaces/default/configmaps"


def curl(s, *args, cert=True, timeout=PATIENCE):
    """(HTTP status, body)"""
    who = ["--cert", s.path("admin.pem"), "--key", s.path("admin.key")] if cert else []
    done = subprocess.run(["curl", "-sS", "--cacert", s.path("ca.pem"), *who, "-w", "\n%{http_code}", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)
    body, _, status = done.stdout.rpartition("\n")
    return int(status or 0), body or done.stderr


def test_health(s, url):
    for path in ("/healthz", "/livez", "/readyz"):
        tap.eq(path, curl(s, url + path, cert=False), (200, "ok"))
    tap.eq("a single check is for users with that right", (curl(s, url + "/livez/ping", cert=False)[0], curl(s, url + "/livez/ping")), (403, (200, "ok")))
    status, body = curl(s, url + "/readyz?verbose", cert=False)
    tap.ok("verbose", status == 200 and body.rstrip().endswith("readyz check passed"), body)
    status, body = curl(s, url + "/version", cert=False)
    tap.eq("version needs no credentials", (status, json.loads(body)["major"]), (200, "1"))


def test_refusals(s, url):
    status, body = curl(s, url + "/api/v1/namespaces", cert=False)
    tap.eq("nobody lists", (status, json.loads(body)["message"]),
           (403, 'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope'))
    status, body = curl(s, url + "/", cert=False)
    tap.eq("nor sees the root", (status, json.loads(body)["message"]), (403, 'forbidden: User "system:anonymous" cannot get path "/"'))
    status, body = curl(s, "-H", "Authorization: Bearer nonsense", url + "/api", cert=False)
    tap.eq("a wrong token", (status, json.loads(body)["reason"]), (401, "Unauthorized"))
    done = subprocess.run(["curl", "-sS", url + "/healthz"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    tap.eq("without the CA curl refuses", done.returncode, 60)
    status, body = curl(s, url.replace("https", "http") + "/healthz", cert=False)
    tap.ok("plain HTTP gets no answer from the API", status in (0, 400), (status, body))


def test_objects(s, url):
    status, body = curl(s, "-X", "POST", "-H", "Content-Type: application/json", "-d", json.dumps(configmap("c1", data={"a": "1"})), url + CM)
    tap.eq("POST", (status, json.loads(body)["data"]), (201, {"a": "1"}))
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c2\ndata:\n  a: '1'\n"
    tap.eq("POST of YAML", curl(s, "-H", "Content-Type: application/yaml", "--data-binary", text, url + CM)[0], 201)
    status, body = curl(s, "-H", "Accept: application/yaml", url + CM + "/c2")
    tap.ok("GET of YAML", status == 200 and "kind: ConfigMap" in body, body)
    tap.eq("curl's own media type is not taken for JSON", curl(s, "-d", "{}", url + CM)[0], 415)
    status, body = curl(s, "-X", "PATCH", "-H", "Content-Type: application/merge-patch+json", "-d", '{"data":{"b":"2"}}', url + CM + "/c1")
    tap.eq("PATCH", (status, json.loads(body)["data"]), (200, {"a": "1", "b": "2"}))
    apply = json.dumps(configmap("c3", data={"x": "y"}))
    tap.eq("apply creates", curl(s, "-X", "PATCH", "-H", "Content-Type: application/apply-patch+yaml", "-d", apply, url + CM + "/c3?fieldManager=curl")[0], 201)
    status, body = curl(s, "-X", "PATCH", "-H", "Content-Type: application/apply-patch+yaml", "-d", apply, url + CM + "/c3")
    tap.eq("and needs a manager", (status, json.loads(body)["reason"]), (422, "Invalid"))
    status, body = curl(s, url + CM + "?labelSelector=a%3Db&limit=5&pretty=true")
    tap.ok("a pretty list", status == 200 and body.startswith('{\n  "kind": "ConfigMapList",'), body)
    status, body = curl(s, "-H", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io", url + CM + "/c1")
    tap.eq("as a table", (status, json.loads(body)["kind"]), (200, "Table"))
    status, body = curl(s, "-I", url + CM)
    tap.eq("HEAD is no verb here", status, 405)
    status, body = curl(s, "-X", "DELETE", url + CM + "/c2")
    tap.eq("DELETE", (status, json.loads(body)["status"]), (200, "Success"))
    tap.eq("gone", curl(s, url + CM + "/c2")[0], 404)
    status, body = curl(s, "--compressed", url + "/openapi/v2")
    tap.eq("OpenAPI v2 in JSON", (status, json.loads(body)["swagger"]), (200, "2.0"))
    for flag in ("--http1.1", "--http2"):
        tap.eq(flag, curl(s, flag, url + CM + "/c1")[0], 200)


def test_token(s, url):
    make = lambda path, body: curl(s, "-H", "Content-Type: application/json", "-d", json.dumps(body), url + path)
    make("/api/v1/namespaces/default/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "pasted"}})
    make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
         {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "pasted"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
          "subjects": [{"kind": "ServiceAccount", "name": "pasted", "namespace": "default"}]})
    body = make("/api/v1/namespaces/default/serviceaccounts/pasted/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 600}})[1]
    token = json.loads(body)["status"]["token"]
    header = f"Authorization: Bearer {token}"
    tap.ok("list with a token", wait_for(lambda: curl(s, "-H", header, url + "/api/v1/pods", cert=False)[0] == 200))
    tap.eq("secrets stay closed", curl(s, "-H", header, url + "/api/v1/secrets", cert=False)[0], 403)
    # The long-lived token of a Secret, as many guides still show.
    make("/api/v1/namespaces/default/secrets", {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
                                                "metadata": {"name": "old", "annotations": {"kubernetes.io/service-account.name": "pasted"}}})
    read = lambda: json.loads(curl(s, url + "/api/v1/namespaces/default/secrets/old")[1]).get("data", {}).get("token")
    old = wait_for(read)
    tap.ok("a token Secret is filled", bool(old))
    if old:
        tap.eq("and works", curl(s, "-H", f"Authorization: Bearer {base64.b64decode(old).decode()}", url + "/api/v1/pods", cert=False)[0], 200)


def test_watch(s, url):
    since = s.get(CM).json["metadata"]["resourceVersion"]  # the events may come before curl does
    process = subprocess.Popen(["curl", "-sSN", "--cacert", s.path("ca.pem"), "--cert", s.path("admin.pem"), "--key", s.path("admin.key"), url + CM + f"?watch=1&fieldSelector=metadata.name=seen&resourceVersion={since}"],
                               stdout=subprocess.PIPE, text=True)
    try:
        curl(s, "-H", "Content-Type: application/json", "-d", json.dumps(configmap("seen")), url + CM)
        curl(s, "-X", "DELETE", url + CM + "/seen")
        events = [json.loads(process.stdout.readline())["type"] for _ in range(2)]
        tap.eq("curl -N sees each event as it comes", events, ["ADDED", "DELETED"])
    finally:
        process.kill()
        process.wait()
    status, body = curl(s, url + CM + "?watch=true&timeoutSeconds=1&fieldSelector=metadata.name=none")
    tap.eq("a watch ends after its timeout", (status, body), (200, ""))


def main():
    if not shutil.which("curl"):
        tap.skip("curl", "it is not installed")
        tap.done()
    with Server() as s:
        tap.run([test_health, test_refusals, test_objects, test_token, test_watch], s, f"https://127.0.0.1:{s.port}")
    tap.done()


if __name__ == "__main__":
    main()
