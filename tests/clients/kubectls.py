"""Which kubectl programs this machine has: those on PATH, those beside them (the Google Cloud SDK brings several versions), and Debian's own,
which is 1.20, fetched when it is not there."""
import json
import os
import pathlib
import re
import subprocess

from transcript import version_of

CACHE = pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "clients"
NAME = re.compile(r"kubectl(?:[.-]?v?1\.\d+(?:\.\d+)?)?")


def client_version(program):
    """The full version that a program says it has, or None.  Without a cluster: the SDK's dispatcher gives itself out for the version of the one it finds."""
    try:
        done = subprocess.run([program, "version", "--client", "-o", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=180, env={**os.environ, "KUBECONFIG": os.devnull})
        return json.loads(done.stdout)["clientVersion"]["gitVersion"]
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired):
        return None


def candidates():
    folders = []
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        folder = pathlib.Path(folder)
        folders.append(folder)
        for name in ("kubectl", "gcloud"):
            if (folder / name).exists():
                folders.append((folder / name).resolve().parent)   # a link into an SDK: its other versions lie there
    seen = set()
    for folder in folders:
        try:
            entries = sorted(folder.iterdir())
        except OSError:
            continue
        for entry in entries:
            real = entry.resolve()
            if NAME.fullmatch(entry.name) and os.access(real, os.X_OK) and real not in seen:
                seen.add(real)
                yield str(real)


def debian():
    """Debian's kubectl, unpacked in the build folder: the package cannot be installed beside another vendor's."""
    program = CACHE / "usr" / "bin" / "kubectl"
    if program.exists():
        return str(program)
    CACHE.mkdir(parents=True, exist_ok=True)
    fetch = lambda: subprocess.run(["apt-get", "download", "-q", "kubernetes-client"], cwd=CACHE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    try:
        if not fetch():
            as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
            subprocess.run([*as_root, "apt-get", "update", "-qq"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if not fetch():
                return None
        subprocess.run(["dpkg", "-x", str(next(CACHE.glob("kubernetes-client_*.deb"))), str(CACHE)], check=True)
    except (OSError, subprocess.CalledProcessError, StopIteration):
        return None
    return str(program) if program.exists() else None


def find():
    """[(program, full version)], oldest first, one for each minor version."""
    found = {}
    for program in candidates():
        version = client_version(program)
        if version and "dispatcher" not in version:   # the Cloud SDK's own only calls one of its neighbours
            found.setdefault(version_of(version), (program, version))
    if not any(minor <= (1, 20) for minor in found):
        program = debian()
        version = program and client_version(program)
        if version:
            found.setdefault(version_of(version), (program, version))
    return [found[minor] for minor in sorted(found)]
