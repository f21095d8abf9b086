#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What containers see of GPUs, whole and in parts: with a driver's library made for the test, and with devices that are only counted."""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from lib.cox import PATIENCE, tap, wait_for  # noqa: E402
from lib.node import Cluster, isolate, pod, statuses  # noqa: E402

# Three devices of 16,000 MiB; the nodes of the first two exist.
LIBRARY = r"""
#include <stdio.h>
struct memory { unsigned long long total, free, used; };
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 3; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **ret) { *ret = (void *)(unsigned long)(i + 1); return 0; }
int nvmlDeviceGetName(void *d, char *text, unsigned len) { snprintf(text, len, "Test GPU"); return !d; }
int nvmlDeviceGetUUID(void *d, char *text, unsigned len) { snprintf(text, len, "GPU-0000000%lu", (unsigned long)d - 1); return 0; }
int nvmlDeviceGetMemoryInfo(void *d, struct memory *ret) { *ret = (struct memory){16000ull << 20, 0, 0}; return !d; }
int nvmlDeviceGetMinorNumber(void *d, unsigned *ret) { *ret = 240 + (unsigned)((unsigned long)d - 1); return 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned len) { snprintf(text, len, "1.0"); return 0; }
"""
TELL = "env | grep -E '^(NVIDIA_V|GPU_|RUNAI)' | sort; ls /dev | grep nvidia; echo done; sleep 1000"


def asking(name, gpus=0, command=TELL, **annotations):
    p = pod(name, command, container={"resources": {"limits": {"nvidia.com/gpu": str(gpus)}}} if gpus else {})
    p["metadata"]["annotations"] = {k.replace("_", "-"): v for k, v in annotations.items()}
    return p


def seen(c, name, container=""):
    query = f"?container={container}" if container else ""
    c.wait_running(name)
    c.wait(lambda: "done" in c.logs(name, query), f"the log of {name}")
    return set(c.logs(name, query).split()) - {"done"}


def uuids(*numbers):
    return "NVIDIA_VISIBLE_DEVICES=" + ",".join(f"GPU-0000000{n}" for n in numbers)


def portion(text):
    return [f"GPU_PORTION={text}", f"RUNAI_NUM_OF_GPUS={text}"]


def the_node_has_them(c):
    node = c.wait_node()
    tap.eq("the node's GPUs are those of the library", node["status"]["capacity"].get("nvidia.com/gpu"), "3")
    labels = {k: v for k, v in node["metadata"]["labels"].items() if k.startswith("nvidia.com/")}
    tap.eq("with their kind", labels, {"nvidia.com/gpu.count": "3", "nvidia.com/gpu.memory": "16000", "nvidia.com/gpu.product": "Test-GPU"})


def parts_and_whole(c):
    c.create(asking("half", gpu_fraction="0.5"))
    tap.eq("half a device", seen(c, "half"), {*portion("0.50"), uuids(0), "nvidia240"})
    two = asking("beside", gpu_memory="4000", gpu_fraction_container_name="worker")
    two["spec"]["containers"].append({**two["spec"]["containers"][0], "name": "worker"})
    c.create(two)
    tap.eq("a quarter by memory, on the same device, for the container that is named", seen(c, "beside", "worker"), {*portion("0.25"), uuids(0), "nvidia240"})
    tap.eq("and nothing for the other one", seen(c, "beside", "c"), set())
    whole = asking("whole", gpus=1)
    whole["spec"]["containers"][0]["env"] = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    c.create(whole)
    tap.eq("a whole one, whatever the container says", seen(c, "whole"), {uuids(1), "nvidia241"})
    c.create(asking("none"))
    tap.eq("nothing without asking", seen(c, "none"), set())


def outlive_the_agent(c):
    before = {n: statuses(c.read(n))["c"]["containerID"] for n in ("half", "whole")}
    c.kill()
    c.start()
    c.wait_node()
    c.create(asking("later", gpus=1))
    tap.eq("the next agent knows what is taken", seen(c, "later"), {uuids(2)})
    tap.eq("nothing was restarted", {n: statuses(c.wait_running(n))["c"]["containerID"] for n in before}, before)
    for n in ("whole", "later", "beside"):
        c.delete(c.url("Pod", n))
    for n in ("whole", "later"):
        c.wait_gone(n)
    c.create(asking("two", gpus=2))
    tap.eq("what is given back can be had", seen(c, "two"), {uuids(1, 2), "nvidia241"})


def restarts(c):
    p = asking("again", command="env | grep ^NVIDIA_V; echo done; test -e /s/x && exec sleep 1000; touch /s/x", gpu_fraction="0.2")
    p["spec"]["volumes"] = [{"name": "s", "emptyDir": {}}]
    p["spec"]["containers"][0]["volumeMounts"] = [{"name": "s", "mountPath": "/s"}]
    c.create(p)
    c.wait(lambda: statuses(c.read("again")).get("c", {}).get("restartCount") == 1, "a second run")
    tap.eq("a container that is started again has the same device", (seen(c, "again"), c.logs("again", "?previous=true").split()), ({uuids(0)}, [uuids(0), "done"]))


def odd_pods(c):
    p = asking("by-hand", gpu_fraction="0.1")
    p["spec"]["nodeName"] = c.node
    c.create(p)
    waiting = lambda: statuses(c.read("by-hand")).get("c", {}).get("state", {}).get("waiting", {})  # noqa: E731
    tap.ok("a part that no scheduler chose is refused", wait_for(lambda: "needs a scheduler that says which device" in waiting().get("message", ""), PATIENCE), waiting())


def only_counted():
    """No driver's library: devices have numbers alone."""
    with Cluster(args=["--node-capacity", "nvidia.com/gpu=2", "--node-label", "nvidia.com/gpu.memory=8000"]) as c:
        c.wait_node()
        c.create(asking("part", gpu_memory="1000"))
        tap.eq("a part, by number", seen(c, "part"), {*portion("0.125"), "NVIDIA_VISIBLE_DEVICES=0"})
        c.create(asking("whole", gpus=1))
        tap.eq("a whole one", seen(c, "whole"), {"NVIDIA_VISIBLE_DEVICES=1"})


def fake_devices(folder):
    """A /dev of this script's own, with two more nodes: /dev/null by another name."""
    dev = os.path.join(folder, "dev")
    os.mkdir(dev)
    subprocess.run(["mount", "-t", "tmpfs", "dev", dev], check=True)
    subprocess.run(["cp", "-a", *(os.path.join("/dev", n) for n in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "fd", "stdin", "stdout", "stderr") if os.path.lexists(f"/dev/{n}")), dev], check=True)
    for n in ("pts", "shm", "mqueue"):
        if os.path.isdir(f"/dev/{n}"):
            os.mkdir(os.path.join(dev, n))
            subprocess.run(["mount", "--rbind", f"/dev/{n}", os.path.join(dev, n)], check=True)
    for n in ("nvidia240", "nvidia241"):
        os.mknod(os.path.join(dev, n), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    subprocess.run(["mount", "--move", dev, "/dev"], check=True)


if __name__ == "__main__":
    isolate()
    if not shutil.which("cc"):
        tap.skip("GPUs", "needs a C compiler")
        tap.done()
    library = tempfile.mkdtemp(prefix="cox-nvml-")
    try:
        source = os.path.join(library, "nvml.c")
        pathlib.Path(source).write_text(LIBRARY)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", os.path.join(library, "libnvidia-ml.so.1"), source], check=True)
        fake_devices(library)
        with Cluster(env={"LD_LIBRARY_PATH": library}) as cluster:
            tap.run([the_node_has_them, parts_and_whole, outlive_the_agent, restarts, odd_pods], cluster)
        only_counted()
    finally:
        shutil.rmtree(library, ignore_errors=True)
    tap.done()
