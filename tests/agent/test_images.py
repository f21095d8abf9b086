#!/usr/bin/env python3
"""cox image: archives and registries in, what is refused and how it is said."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib import images  # noqa: E402
from lib.cox import COX, tap  # noqa: E402
from lib.registry import Registry, make_certificates  # noqa: E402


class Node:
    """A data folder."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="cox-test-")
        self.images = os.path.join(self.dir, "agent", "images")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def cox(self, *args):
        return subprocess.run([COX, "image", *args, "--data-dir", self.dir], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)

    def pull(self, registry, name, *args):
        return self.cox("pull", f"{registry.host}/{name}", "--insecure-registry", registry.host, *args)

    def names(self, *args):
        return sorted(line.split()[0] for line in self.cox("list", *args).stdout.splitlines()[1:])

    def layers(self):
        folder = os.path.join(self.images, "layers")
        return sorted(os.listdir(folder)) if os.path.exists(folder) else []

    def has_file(self, name):
        return any(os.path.lexists(os.path.join(self.images, "layers", l, "fs", name)) for l in self.layers())


def small(text="1", **kw):
    return images.Image([images.layer([images.file("a", text)])], **kw)


def fails(name, done, *parts):
    good = done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1 and all(p in done.stderr for p in parts)
    tap.ok(name, good, f"exit {done.returncode}\n{done.stderr}\n{done.stdout}\nwant: {parts}")


def works(name, done, part=""):
    return tap.ok(name, done.returncode == 0 and part in done.stdout, f"exit {done.returncode}\n{done.stderr}\n{done.stdout}")


def test_archives():
    changes = images.layer([images.whiteout("etc/group"), images.opaque("var"), images.file("etc/new", "n"), images.symlink("sh", "bin/sh")])
    for kind in ("docker", "oci"):
        for gzip in (False, True, "zstd"):
            with Node() as node:
                path = node.path("a.tar")
                what = f"{kind}{' zstd' if gzip == 'zstd' else ' gzip' if gzip else ''}"
                image = images.build_busybox(path, "test/bb:1", cmd=["sh", "-c", "true"], env=["A=b"], user="web", format=kind, gzip=gzip, extra_layers=[changes])
                if not works(f"{what}: load", node.cox("load", path), "Loaded docker.io/test/bb:1."):
                    continue
                listed = node.cox("list").stdout
                tap.ok(f"{what}: it is listed", "docker.io/test/bb:1" in listed and image.id[7:19] in listed, listed)
                tap.eq(f"{what}: two layers", len(node.layers()), 2)
                tap.ok(f"{what}: programs and changes are there", node.has_file("bin/sh") and node.has_file("etc/new"), node.layers())
                works(f"{what}: remove", node.cox("remove", "test/bb:1"))
                tap.eq(f"{what}: nothing is left", (node.names(), node.layers()), ([], []))


def test_archive_names():
    with Node() as node:
        path = node.path("a.tar")
        images.build_image(path, None, [images.layer([images.file("a")])], format="oci")
        fails("an archive without a name", node.cox("load", path), "--name")
        works("a name by option", node.cox("load", path, "--name", "mine"), "docker.io/library/mine:latest")
        fails("a bad name", node.cox("load", path, "--name", "Mine"), "lower case")
        fails("no such file", node.cox("load", node.path("none.tar")), "none.tar", "No such file")
        images.build_image(path, "x", [images.layer([images.file("a")])], arch="vax")
        fails("another kind of machine", node.cox("load", path), "linux/vax", images.architecture())
        with open(path, "wb") as f:
            f.write(b"\x1f\x8b broken")
        fails("a broken gzip", node.cox("load", path), "a.tar")
        with open(path, "wb") as f:
            f.write(images.zstd(b"x" * 5000)[:-2])
        fails("a cut zstd", node.cox("load", path), "a.tar", "too early")


def test_hostile_layers():
    cases = {"dot dot": [images.file("../../evil", "x")], "link out": [images.symlink("d", "/tmp"), images.file("d/cox-evil", "x")], "hard link out": [images.hardlink("h", "/etc/passwd")]}
    for name, entries in cases.items():
        with Node() as node:
            images.build_image(node.path("a.tar"), "evil", [images.layer(entries)])
            done = node.cox("load", node.path("a.tar"))
            fails(f"{name} is refused", done, "layer")
            tap.eq(f"{name}: nothing is left", (node.layers(), os.path.exists("/tmp/cox-evil")), ([], False))


def test_pull():
    with Node() as node, Registry() as r:
        image = images.Image([images.busybox_layer(), images.layer([images.file("etc/top", "t")])], Cmd=["sh"])
        r.add("team/bb", "1", image)
        works("pull by tag", node.pull(r, "team/bb:1"), image.id)
        tap.ok("layers are there", node.has_file("bin/busybox") and node.has_file("etc/top"), node.layers())
        count = len(r.requests)
        works("pull again", node.pull(r, "team/bb:1"))
        tap.ok("layers are not fetched twice", not any(l in p for p, _ in r.requests[count:] for l in map(images.digest, image.layers)), r.requests[count:])
        works("pull by digest", node.pull(r, f"team/bb@{image.digest}"), image.id)
        tap.eq("names", node.names("--digests"), sorted([f"{r.host}/team/bb:1", f"{r.host}/team/bb@{image.digest}"]))
        fails("no such tag", node.pull(r, "team/bb:2"), "has no image", "manifest unknown", "cox image load")
        fails("no such registry", node.cox("pull", "127.0.0.1:1/x"), "cannot connect to 127.0.0.1:1")
        fails("a bad name", node.cox("pull", "UPPER"), "lower case")
        docker = small("docker", docker_types=True)
        r.add("old", "latest", docker)
        works("docker's media types", node.pull(r, "old"), docker.id)
        for docker_types in (False, True):
            packed = small(f"zstd {docker_types}", gzip="zstd", docker_types=docker_types)
            r.add("packed", str(docker_types), packed)
            works(f"layers of the type {packed.layer_type}", node.pull(r, f"packed:{docker_types}"), packed.id)


def test_pull_index():
    with Node() as node, Registry() as r:
        mine, other = small("mine"), small("other", arch="vax")
        index = r.add_index("multi", "latest", [("linux", "vax", other), ("linux", images.architecture(), mine), ("unknown", "unknown", small("attestation"))])
        works("the image of this machine", node.pull(r, "multi"), mine.id)
        works("an index by digest", node.pull(r, f"multi@{index}"), mine.id)
        r.add_index("foreign", "latest", [("linux", "vax", other), ("windows", "amd64", small("w"))])
        fails("no image for this machine", node.pull(r, "foreign"), "linux/vax, windows/amd64", "linux/" + images.architecture())


def auth_file(node, host, user, password):
    path = node.path("auth.json")
    with open(path, "w") as f:
        json.dump({"auths": {host: {"auth": base64.b64encode(f"{user}:{password}".encode()).decode()}}}, f)
    return path


def test_pull_credentials():
    for auth in ("basic", "token"):
        with Node() as node, Registry(auth=auth, users={"me": "pass:word"}) as r:
            image = small(auth)
            r.add("private/web", "1", image)
            fails(f"{auth}: without credentials", node.pull(r, "private/web:1"), "does not give", "imagePullSecrets")
            fails(f"{auth}: with wrong ones", node.pull(r, "private/web:1", "--auth-file", auth_file(node, r.host, "me", "wrong")), "does not give", "imagePullSecrets")
            works(f"{auth}: with the right ones", node.pull(r, "private/web:1", "--auth-file", auth_file(node, r.host, "me", "pass:word")), image.id)
            fails(f"{auth}: those of another registry", node.pull(r, "private/web:1", "--auth-file", auth_file(node, "other.example", "me", "pass:word")), "does not give")
    with Node() as node, Registry(auth="token") as r:
        image = small("open")
        r.add("public/web", "1", image)
        works("a token for everybody", node.pull(r, "public/web:1"), image.id)


def test_pull_redirect():
    with Node() as node, Registry() as store, Registry(auth="basic", users={"me": "pw"}) as r:
        image = small("redirected")
        r.add("web", "latest", image)
        store.blobs.update(image.blobs())
        r.redirect = store
        works("blobs from another host", node.pull(r, "web", "--auth-file", auth_file(node, r.host, "me", "pw")), image.id)
        tap.ok("the blob store was asked", len(store.requests) == 2, store.requests)
        tap.ok("it saw no credentials", not any("authorization" in h for _, h in store.requests), store.requests)
        tap.ok("the registry did", any("authorization" in h for _, h in r.requests))


def test_pull_faults():
    image = images.Image([images.layer([images.file("a", os.urandom(300000))]), images.layer([images.file("b", "b")])])
    layer = images.digest(image.layers[0])
    cases = [(layer, "garble", ["layer"]), (layer, "truncate", ["before the answer was complete"]), (image.id, "garble", ["digest"]), (image.digest, "garble", ["digest"]), (layer, 503, ["503", "a fault of the test"]),
             ("1", 429, ["too many pulls"]), (layer, 404, ["has no image"])]
    for key, fault, parts in cases:
        with Node() as node, Registry() as r:
            r.add("web", "1", image)
            r.faults[key] = fault
            name = f"web@{image.digest}" if key == image.digest else "web:1"
            fails(f"{fault} of {key[:12]}", node.pull(r, name), *parts)
            tap.eq(f"{fault} of {key[:12]}: no name is left", node.names(), [])
            tap.ok(f"{fault} of {key[:12]}: nothing half is left", not node.has_file("a") and not any(l.startswith(".") for l in node.layers()), node.layers())
            r.faults.clear()
            works(f"{fault} of {key[:12]}: the next pull works", node.pull(r, name), image.id)
    with Node() as node, Registry() as r:
        wrong = small("x")
        wrong.config = wrong.config.replace(images.digest(wrong.plain[0]).encode(), ("sha256:" + "0" * 64).encode())
        wrong.manifest = json.dumps({"schemaVersion": 2, "config": wrong.describe(wrong.config, wrong.config_type), "layers": [wrong.describe(wrong.layers[0], wrong.layer_type)]}).encode()
        r.add("web", "1", wrong)
        r.blobs[images.digest(wrong.config)] = wrong.config
        fails("a layer that unpacks to something else", node.pull(r, "web:1"), "unpack")
        zstd = small("z")
        zstd.layers = [b"\x28\xb5\x2f\xfd" + b"x" * 100]
        zstd.manifest = json.dumps({"schemaVersion": 2, "config": zstd.describe(zstd.config, zstd.config_type), "layers": [zstd.describe(zstd.layers[0], "application/x+zstd")]}).encode()
        r.add("zstd", "1", zstd)
        fails("a damaged zstd layer", node.pull(r, "zstd:1"), "zstd", "damaged")
        xz = small("z")
        xz.layers = [b"\xfd7zXZ\0" + b"x" * 100]
        xz.manifest = json.dumps({"schemaVersion": 2, "config": xz.describe(xz.config, xz.config_type), "layers": [xz.describe(xz.layers[0], "application/x+xz")]}).encode()
        r.add("xz", "1", xz)
        fails("a layer in a form that nobody can read", node.pull(r, "xz:1"), "xz", "gzip or zstd")


def test_pull_tls():
    with Node() as node:
        certificates = node.path("certificates")
        os.mkdir(certificates)
        make_certificates(certificates)
        with Registry(tls=certificates) as r:
            image = small("tls")
            r.add("web", "1", image)
            fails("an unknown CA", node.cox("pull", f"{r.host}/web:1"), "secure connection")
            works("a registry called insecure", node.pull(r, "web:1"), image.id)
            works("remove", node.cox("remove", f"{r.host}/web:1"))
            os.makedirs(os.path.join(node.images, "certs"), exist_ok=True)
            shutil.copy(os.path.join(certificates, "ca.crt"), os.path.join(node.images, "certs", r.host + ".crt"))
            works("its CA is known", node.cox("pull", f"{r.host}/web:1"), image.id)
            with Registry() as plain:
                second = small("second")
                r.add("second", "1", second)
                r.redirect = plain
                fails("a redirect to plain HTTP", node.cox("pull", f"{r.host}/second:1"), "not secured by TLS")
                tap.eq("nobody was asked there", plain.requests, [])
    with Node() as node, Registry() as r:
        r.add("web", "1", small("x"))
        fails("plain HTTP without being called insecure", node.cox("pull", f"{r.host}/web:1"), r.host)


def test_pull_mirror():
    with Node() as node, Registry(prefix="/cache") as mirror:
        image = small("mirrored")
        mirror.add("library/web", "1", image)
        works("from a mirror", node.cox("pull", "web:1", "--mirror", f"docker.io=http://{mirror.host}/cache"), f"Pulled docker.io/library/web:1, {image.id}")
        with Registry() as r:
            image = small("real")
            r.add("web", "2", image)
            works("the registry when the mirror has it not", node.pull(r, "web:2", "--mirror", f"{r.host}=http://{mirror.host}"), image.id)
            fails("both refuse", node.pull(r, "web:3", "--mirror", f"{r.host}=http://{mirror.host}"), r.host, "mirror", mirror.host)


def main():
    if not images.busybox_path():
        tap.skip("images", "no busybox")
    else:
        tap.run([test_archives, test_archive_names, test_hostile_layers, test_pull, test_pull_index, test_pull_credentials, test_pull_redirect, test_pull_faults, test_pull_tls, test_pull_mirror])
    tap.done()


main()
