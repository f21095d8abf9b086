/* node_info.h - what this machine is and has: for the Node object.
 *
 * Reads /proc, /sys and the NVIDIA library when it is there (dlopen, nothing is linked).
 * Threads: any; node_info_read blocks shortly.  Ownership: results on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define NODE_GPUS_MAX 64
#define NODE_NUMA_MAX 64

struct node_gpu {
    unsigned minor;      /* /dev/nvidiaN */
    str uuid, product;
    uint64_t memory_bytes;
};

struct node_info {
    str hostname, machine_id, system_uuid, boot_id, kernel, os_image, architecture; /* "amd64" */
    int64_t cpu_milli, memory_bytes, disk_bytes, disk_free_bytes, memory_available_bytes, hugepages_2mi, hugepages_1gi; /* huge pages in bytes */
    int64_t inodes, inodes_free, pids_max, pids_now;
    int64_t bandwidth_mbps;  /* of the device with the default route, as its driver says: -1, 0 and more where it does not know */
    str address;             /* IPv4 of it; "127.0.0.1" without one */
    unsigned numa_nodes;
    struct node_gpu gpus[NODE_GPUS_MAX];
    size_t ngpus;
    str driver_version;      /* of the GPUs */
};

/* disk: a path on the file system that pods use. */
void node_info_read(struct arena *a, const char *disk, struct node_info *ret);
str node_address(struct arena *a); /* info.address alone */
/* Only what changes: memory, disk, pids. */
void node_info_refresh(const char *disk, struct node_info *i);
/* A card may come, or settle on another speed, after the agent.  What it said last stays while it says nothing. */
void node_info_refresh_speed(struct node_info *i);

/* --- the kernel's texts: pure, whatever is in them --------------------------------------------------------- */
int64_t node_parse_meminfo(str text, str key);        /* "MemTotal:", in bytes; 0: not there */
str node_parse_default_device(str routes);            /* of /proc/net/route; "" : none */
str node_parse_os_release(str text);                  /* PRETTY_NAME, "Linux" without */
int64_t node_parse_pids(str loadavg);                 /* threads and processes of the machine; 0: not there */
uint64_t node_parse_cpu_ticks(str stat);              /* of /proc/stat: that all cores worked */
str node_parse_architecture(str machine);             /* "x86_64" -> "amd64" */
