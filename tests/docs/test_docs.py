#!/usr/bin/env python3
"""Runs the examples of the documentation, each page against a server of its own.

    ```sh run                 a block that is run with bash -eu, in a folder of the page's own
    ```sh run kubectl         the same, and it needs kubectl: where that is missing, cox stands in when it has the verbs, else the block is skipped
    ```sh run scheduler       it needs a scheduler: the page's server gets one
    ```sh run node            it needs a node that runs pods: the page's server gets an agent.  Skipped where this machine cannot be one
    ```text                   right behind such a block: what it prints (both streams); "..." stands for anything in a line, alone for any lines

In the folder are examples/ and build/cox; in PATH is cox; KUBECONFIG names the admin's
credentials, SERVER is the server's URL, DATA its data folder, TMP the page's folder.
Runs of blanks count as one, because columns are as wide as what is in them.  An argument picks pages: test_docs.py store security
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import COX, ROOT, Server, tap  # noqa: E402
from lib.node import PATIENCE, Cluster, isolate  # noqa: E402

BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```[ ]*$", re.S | re.M)


def blocks(text):
    """[(line, what it needs, commands, expected or None)]"""
    found, previous_end = [], None
    for m in BLOCK.finditer(text):
        words = m.group("info").split()
        if words[:2] == ["sh", "run"]:
            found.append([text.count("\n", 0, m.start()) + 1, words[2:], m.group("body"), None])
            previous_end = m.end()
            continue
        if words[:1] == ["text"] and found and previous_end is not None and not text[previous_end:m.start()].strip():
            found[-1][3] = m.group("body")
        previous_end = None
    return found


def squeeze(text):
    return [re.sub(r"[ \t]+", " ", line).strip() for line in text.strip("\n").splitlines()]


def matches(expected, actual):
    """Line by line, as a regular expression; `...` alone takes any number of lines."""
    parts = []
    for line in squeeze(expected):
        if line == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*?".join(re.escape(p) for p in line.split("...")) + r"\n")
    return re.fullmatch("".join(parts), "".join(line + "\n" for line in squeeze(actual))) is not None


def cox_verbs():
    text = subprocess.run([COX, "--help"], capture_output=True, text=True).stdout
    return set(re.findall(r"^  ([a-z][a-z-]*) ", text, re.M))


class Folder:
    def __init__(self, server):
        self.path = tempfile.mkdtemp(prefix="cox-docs-")
        self.bin = os.path.join(self.path, ".bin")
        os.makedirs(self.bin)
        os.makedirs(os.path.join(self.path, "build"))
        os.symlink(ROOT / "examples", os.path.join(self.path, "examples"))
        os.symlink(COX, os.path.join(self.bin, "cox"))
        os.symlink(COX, os.path.join(self.path, "build", "cox"))
        self.has_kubectl = shutil.which("kubectl") is not None and "COX_DOCS_NO_KUBECTL" not in os.environ
        if not self.has_kubectl:
            os.symlink(COX, os.path.join(self.bin, "kubectl"))
        self.env = {**os.environ, "PATH": self.bin + os.pathsep + os.environ["PATH"], "HOME": self.path, "TMP": self.path, "KUBECONFIG": server.kubeconfig, "COX_AGENT": "false",
                    "SERVER": f"https://127.0.0.1:{server.port}", "DATA": server.dir}

    def run(self, commands, limit=PATIENCE):
        process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", commands], cwd=self.path, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            return process.communicate(timeout=limit)[0].decode("utf-8", "replace"), process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with what it left in the background
            return process.communicate()[0].decode("utf-8", "replace") + f"\n(still running after {limit} s)\n", 124

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


def missing_verbs(commands, verbs):
    used = set(re.findall(r"(?:^|[|;&(]\s*)(?:kubectl|cox)\s+([a-z][a-z-]*)", commands, re.M))
    return used - verbs


def run_block(name, folder, needs, commands, expected, verbs):
    if "node" in needs and not folder.has_node:
        tap.skip(name, "this machine cannot run pods for a test")
        return
    if "kubectl" in needs and not folder.has_kubectl and missing_verbs(commands, verbs):
        tap.skip(name, "no kubectl here")
        return
    out, code = folder.run(commands)
    if code:
        tap.ok(name, False, f"exit {code}, output:\n{out}\ncommands:\n{commands}")
    elif expected is not None:
        tap.ok(name, matches(expected, out), f"have:\n{out}\nwant:\n{expected}\ncommands:\n{commands}")
    else:
        tap.ok(name, True)


def can_have_nodes():
    """Whether this script is, or can be started again, in namespaces of its own."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "--net", "--mount", "true"], stderr=subprocess.DEVNULL).returncode == 0


def run_page(page, verbs, nodes):
    todo = blocks(page.read_text())
    if not todo:
        return
    with_node = nodes and any("node" in needs for _, needs, _, _ in todo)
    with_scheduler = any("scheduler" in needs for _, needs, _, _ in todo)
    with Cluster() if with_node else Server(scheduler=with_scheduler) as server:
        if with_node:
            server.wait_node()
        folder = Folder(server)
        folder.has_node = with_node
        try:
            for line, needs, commands, expected in todo:
                run_block(f"{page.relative_to(ROOT)}:{line}", folder, needs, commands, expected, verbs)
        finally:
            folder.remove()


def main():
    nodes = can_have_nodes()
    if nodes:
        isolate()
    verbs = cox_verbs()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md")), *sorted((ROOT / "examples").glob("**/*.md"))]
    for page in pages:
        if len(sys.argv) > 1 and not any(word in str(page) for word in sys.argv[1:]):
            continue
        try:
            run_page(page, verbs, nodes)
        except Exception as e:  # noqa: BLE001  one page must not hide the others
            tap.ok(str(page.relative_to(ROOT)), False, repr(e))
    if not tap.count:
        tap.skip("examples", "no page was picked")
    tap.done()


if __name__ == "__main__":
    main()
