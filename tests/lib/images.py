"""Makes tiny container images out of busybox-static, as archives that every tool reads: no registry and no other image is needed.

    build_busybox("/tmp/x/bb.tar", "test/busybox:1")                                     one layer, /bin/sh as its command
    build_busybox("/tmp/x/bb.tar", "test/web:1", cmd=["sh", "-c", "..."], env=["A=b"], user="1000", format="oci", gzip=True)
    build_image("/tmp/x/any.tar", "test/any:1", [layer([file("etc/x", "1")]), layer([whiteout("etc/x")])])
"""
import ctypes
import gzip as gzip_module
import hashlib
import io
import json
import os
import platform
import tarfile

BUSYBOX_PLACES = ("/bin/busybox", "/usr/bin/busybox")
# Those that tests use; busybox has more, which are reached as `busybox NAME`.
APPLETS = ("sh ash ls cat echo sleep true false test [ env id hostname mount umount mkdir rm ln cp mv touch chmod chown stat grep sed awk head tail wc sort uniq cut tr seq date kill ps wget "
           "nc httpd ping ip ifconfig route nslookup df du dd tee printf pwd readlink find xargs sync uname whoami vi top trap yes nproc timeout md5sum sha256sum tar").split()
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "armv7l": "arm", "riscv64": "riscv64", "ppc64le": "ppc64le", "s390x": "s390x"}


def busybox_path():
    """The static busybox of this machine, None without one."""
    return next((p for p in BUSYBOX_PLACES if os.path.exists(p)), None)


def architecture():
    return ARCHITECTURES.get(platform.machine(), platform.machine())


# --- layers: bytes of a tar ---------------------------------------------------------------------------------

def _info(name, kind, mode, **more):
    t = tarfile.TarInfo(name)
    t.type, t.mode, t.mtime = kind, mode, 1700000000
    for key, value in more.items():
        setattr(t, key, value)
    return t


def file(name, content=b"", mode=0o644, **more):
    data = content.encode() if isinstance(content, str) else content
    return _info(name, tarfile.REGTYPE, mode, size=len(data), **more), data


def folder(name, mode=0o755, **more):
    return _info(name, tarfile.DIRTYPE, mode, **more), b""


def symlink(name, target, **more):
    return _info(name, tarfile.SYMTYPE, 0o777, linkname=target, **more), b""


def hardlink(name, target, mode=0o644, **more):
    """mode: as the target's; some unpackers set it again."""
    return _info(name, tarfile.LNKTYPE, mode, linkname=target, **more), b""


def whiteout(name):
    head, _, base = name.rpartition("/")
    return file((head + "/" if head else "") + ".wh." + base)


def opaque(name):
    return file(name + "/.wh..wh..opq")


def layer(entries, format=tarfile.PAX_FORMAT):
    """The bytes of a layer."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as t:
        for info, data in entries:
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def busybox_layer():
    with open(busybox_path(), "rb") as f:
        program = f.read()
    entries = [folder(d) for d in ("bin", "etc", "dev", "proc", "sys", "root", "home", "var", "usr")]
    entries.append(folder("tmp", 0o1777))
    entries.append(file("bin/busybox", program, 0o755))
    entries += [hardlink("bin/" + a, "bin/busybox", 0o755) for a in APPLETS]
    entries.append(file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\nweb:x:1000:1000:web:/home:/bin/sh\n"))
    entries.append(file("etc/group", "root:x:0:\nnogroup:x:65534:\nweb:x:1000:\nextra:x:2000:web\n"))
    return layer(entries)


# --- packed: gzip is False, True or "zstd" wherever it is asked for -----------------------------------------

def zstd(data, level=3):
    """With the library that the program itself uses, so that no other package is needed."""
    lib = ctypes.CDLL("libzstd.so.1")
    for f in (lib.ZSTD_compressBound, lib.ZSTD_compress):
        f.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(lib.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    n = lib.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), level)
    assert not lib.ZSTD_isError(ctypes.c_size_t(n))
    return room.raw[:n]


def pack(data, gzip):
    return zstd(data) if gzip == "zstd" else gzip_module.compress(data, 1, mtime=0) if gzip else data


# --- images ---------------------------------------------------------------------------------------------------

def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Image:
    """The blobs of one image: config, layers as they are stored, manifest."""

    def __init__(self, layers, gzip=True, arch=None, docker_types=False, **config):
        self.plain = list(layers)
        self.layers = [pack(l, gzip) for l in self.plain]
        self.config = json.dumps({"architecture": arch or architecture(), "os": "linux", "config": config,
                                  "rootfs": {"type": "layers", "diff_ids": [digest(l) for l in self.plain]}}).encode()
        kind = "vnd.docker.image.rootfs.diff.tar" if docker_types else "vnd.oci.image.layer.v1.tar"
        suffix = ("." if docker_types else "+") + ("zstd" if gzip == "zstd" else "gzip") if gzip else ""
        self.layer_type = f"application/{kind}{suffix}"
        self.config_type = "application/vnd.docker.container.image.v1+json" if docker_types else "application/vnd.oci.image.config.v1+json"
        self.manifest_type = "application/vnd.docker.distribution.manifest.v2+json" if docker_types else "application/vnd.oci.image.manifest.v1+json"
        self.manifest = json.dumps({"schemaVersion": 2, "mediaType": self.manifest_type, "config": self.describe(self.config, self.config_type),
                                    "layers": [self.describe(l, self.layer_type) for l in self.layers]}).encode()
        self.id, self.digest = digest(self.config), digest(self.manifest)

    @staticmethod
    def describe(data, media_type):
        return {"mediaType": media_type, "digest": digest(data), "size": len(data)}

    def blobs(self):
        return {digest(b): b for b in (self.config, *self.layers)}


def _config(cmd, entrypoint, env, user, cwd, stop_signal):
    config = {}
    for key, value in (("Cmd", cmd), ("Entrypoint", entrypoint), ("Env", env), ("User", user), ("WorkingDir", cwd), ("StopSignal", stop_signal)):
        if value is not None:
            config[key] = list(value) if isinstance(value, (list, tuple)) else value
    return config


def _write_tar(path, files, gzip):
    data = layer([file(name, content) for name, content in files])
    with open(path, "wb") as f:
        f.write(pack(data, gzip))


def write_docker(path, name, image, gzip=False):
    """As `docker save` writes it."""
    files, names = [], []
    for i, data in enumerate(image.plain):
        names.append(f"{i}/layer.tar")
        files.append((names[-1], data))
    config = image.id.split(":")[1] + ".json"
    manifest = [{"Config": config, "RepoTags": [name] if name else None, "Layers": names}]
    _write_tar(path, files + [(config, image.config), ("manifest.json", json.dumps(manifest))], gzip)


def write_oci(path, name, image, gzip=False, index=None):
    """An OCI image layout in a tar; index: the text of index.json when it should be another."""
    entry = {**Image.describe(image.manifest, image.manifest_type)}
    if name:
        entry["annotations"] = {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name}
    files = [("oci-layout", '{"imageLayoutVersion":"1.0.0"}'), ("index.json", index or json.dumps({"schemaVersion": 2, "manifests": [entry]}))]
    for key, data in {**image.blobs(), image.digest: image.manifest}.items():
        files.append(("blobs/sha256/" + key.split(":")[1], data))
    _write_tar(path, files, gzip)


def build_image(path, name, layers, cmd=None, entrypoint=None, env=None, user=None, cwd=None, stop_signal=None, format="docker", gzip=False, arch=None):
    """Writes an archive with these layers (bytes, lowest first) and returns its Image."""
    image = Image(layers, gzip=format == "oci" and (gzip or True), arch=arch, **_config(cmd, entrypoint, env, user, cwd, stop_signal))
    (write_oci if format == "oci" else write_docker)(path, name, image, gzip)
    return image


def build_busybox(path, name, cmd=("/bin/sh",), entrypoint=None, env=("PATH=/bin",), user=None, cwd=None, stop_signal=None, format="docker", gzip=False, extra_layers=()):
    """An archive of busybox with these settings; extra_layers (see layer()) come on top of it."""
    return build_image(path, name, [busybox_layer(), *extra_layers], cmd, entrypoint, env, user, cwd, stop_signal, format, gzip)
