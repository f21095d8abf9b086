"""The transcripts of script/ with every kubectl found, against a server of its own for each.

    test_kubectl.py                          all
    test_kubectl.py --kubectl 1.27 apply     one version, and the transcripts whose name has these words
    test_kubectl.py --kubeconfig FILE        against another API server: this is how the transcripts themselves were checked
"""
import argparse
import base64
import concurrent.futures
import copy
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import yaml  # noqa: E402

import kubectls  # noqa: E402
from lib.cox import Server, tap, wait_for  # noqa: E402
from transcript import CHECKED, Runner, parse, version_of  # noqa: E402

SCRIPTS = sorted((pathlib.Path(__file__).parent / "script").glob("*.txt"))


class Target:
    """An API server that somebody else runs, as its kubeconfig names it; the certificates as files for curl."""

    def __init__(self, kubeconfig, folder):
        self.config = yaml.safe_load(open(kubeconfig))
        cluster, user = self.config["clusters"][0]["cluster"], self.config["users"][0]["user"]
        self.server, self.certs = cluster["server"], folder
        parts = {"ca.pem": cluster["certificate-authority-data"], "admin.pem": user["client-certificate-data"], "admin.key": user["client-key-data"]}
        for name, data in parts.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(base64.b64decode(data))

    def kubeconfig_for(self, namespace, path):
        config = copy.deepcopy(self.config)
        config["contexts"][0]["context"]["namespace"] = namespace
        with open(path, "w") as f:
            yaml.safe_dump(config, f)
        return path


def run_script(path, program, version, target, folder):
    """[(what, '' or what is wrong)] of one transcript, in a folder and a namespace of its own, both named after it."""
    name = path.stem
    home = os.path.join(folder, name)
    os.makedirs(home)
    runner = Runner(program, version_of(version), home, target.kubeconfig_for(name, os.path.join(home, "kubeconfig")), target.server, target.certs)
    made = runner.run(f"kubectl delete ns {name} --ignore-not-found >/dev/null; kubectl create ns {name}")   # on a server that is not ours one may be left
    if made[1]:
        return [(f"{name}: namespace", made[0])]
    wait_for(lambda: runner.run("kubectl get sa default -o name")[1] == 0)
    return [(f"{step.where} {step.command.splitlines()[0][:100]}", runner.check(step)) for step in parse(path) if step.runs_with(runner.version)]


def run_version(program, version, kubeconfig, words):
    begin = time.monotonic()
    folder = tempfile.mkdtemp(prefix="cox-clients-")
    scripts = [path for path in SCRIPTS if not words or any(word in path.stem for word in words)]
    try:
        target = Target(kubeconfig, folder)
        # Transcripts know nothing of each other: as many at a time as there are cores.
        with concurrent.futures.ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            for results in pool.map(lambda path: run_script(path, program, version, target, folder), scripts):
                for name, wrong in results:
                    tap.ok(f"{version} {name}", not wrong, wrong)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"# kubectl {version}: {time.monotonic() - begin:.1f} s", flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("words", nargs="*")
    ap.add_argument("--kubectl", help="only versions that begin so, as 1.27")
    ap.add_argument("--kubeconfig", help="the server to ask; its namespaces named as the transcripts are removed")
    args = ap.parse_args()
    found = [(p, v) for p, v in kubectls.find() if not args.kubectl or v.lstrip("v").startswith(args.kubectl)]
    if not found:
        tap.skip("kubectl", "no kubectl here and Debian's cannot be fetched")
    for program, version in found:
        if version_of(version) > CHECKED[-1] and not args.kubectl:
            tap.skip(f"kubectl {version}", "the transcripts were not checked with it yet")
            continue
        if args.kubeconfig:
            run_version(program, version, args.kubeconfig, args.words)
            continue
        with Server() as s:
            run_version(program, version, s.kubeconfig, args.words)
    tap.done()


if __name__ == "__main__":
    main()
