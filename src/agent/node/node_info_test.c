/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/node_info.h"

#include "base/test.h"

TEST(memory)
{
    str text = S("MemTotal:       16384 kB\nMemFree:  1 kB\nMemAvailable:    8192 kB\nBroken: many kB\nNegative: -4 kB\nHuge: 9223372036854775807 kB\n");
    static const struct {
        const char *key;
        int64_t bytes;
    } rows[] = {{"MemTotal:", 16384 * 1024}, {"MemAvailable:", 8192 * 1024}, {"MemFree:", 1024}, {"Absent:", 0}, {"Broken:", 0}, {"Negative:", 0}, {"Huge:", 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_INT(node_parse_meminfo(text, str_of(rows[i].key)), rows[i].bytes);
    T_EQ_INT(node_parse_meminfo(S(""), S("MemTotal:")), 0);
    T_EQ_INT(node_parse_meminfo(S("MemTotal:"), S("MemTotal:")), 0);
    T_EQ_INT(node_parse_meminfo(S("MemTotal: 5"), S("MemTotal:")), 5 * 1024);
}

#define HEAD "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

TEST(default_route)
{
    static const struct {
        const char *text, *device;
    } rows[] = {
        {HEAD "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\neth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n", "eth0"},
        {HEAD "cox0\t0003000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\nwlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n", "wlan0"},
        {HEAD "tun0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000080\t0\t0\t0\n", ""}, /* half of the world is no default */
        {HEAD, ""},
        {"", ""},
        {HEAD "eth0", ""},
        {HEAD "eth0\t00000000", ""},
        {HEAD "a-name-that-is-far-too-long\t00000000\t0\t0\t0\t0\t0\t00000000\n", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_STR(node_parse_default_device(str_of(rows[i].text)), rows[i].device);
}

TEST(system_names)
{
    static const struct {
        const char *text, *name;
    } rows[] = {
        {"NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n", "Debian GNU/Linux 12 (bookworm)"},
        {"PRETTY_NAME='Alpine Linux v3.19'\n", "Alpine Linux v3.19"},
        {"PRETTY_NAME=Plain\n", "Plain"},
        {"PRETTY_NAME=\"\n", "\""},
        {"PRETTY_NAME=\"\"\n", "Linux"},
        {"PRETTY_NAME=", "Linux"},
        {"NAME=x\n", "Linux"},
        {"", "Linux"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        T_EQ_STR(node_parse_os_release(str_of(rows[i].text)), rows[i].name);
    T_EQ_STR(node_parse_architecture(S("x86_64")), "amd64");
    T_EQ_STR(node_parse_architecture(S("aarch64")), "arm64");
    T_EQ_STR(node_parse_architecture(S("vax")), "vax");
}

TEST(processes)
{
    T_EQ_INT(node_parse_pids(S("0.00 0.01 0.05 1/171 2345")), 171);
    T_EQ_INT(node_parse_pids(S("0.00 0.01 0.05 1/171")), 171);
    T_EQ_INT(node_parse_pids(S("0.00 0.01 0.05 171 2345")), 0);
    T_EQ_INT(node_parse_pids(S("0.00 0.01 0.05 1/-4 2345")), 0);
    T_EQ_INT(node_parse_pids(S("0.00")), 0);
    T_EQ_INT(node_parse_pids(S("")), 0);
}

TEST(processor_time)
{
    /* user nice system IDLE IOWAIT irq softirq steal guest guest_nice */
    T_EQ_INT(node_parse_cpu_ticks(S("cpu  1 10 100 1000000 2000000 1000 10000 100000 7 7\ncpu0 9 9 9 9\n")), 111111);
    T_EQ_INT(node_parse_cpu_ticks(S("cpu  1 2 3")), 6);
    T_EQ_INT(node_parse_cpu_ticks(S("cpu0 1 2 3\n")), 0);
    T_EQ_INT(node_parse_cpu_ticks(S("intr 1 2 3\n")), 0);
    T_EQ_INT(node_parse_cpu_ticks(S("")), 0);
}

TEST(this_machine)
{
    ARENA_AUTO a = ARENA_INIT;
    struct node_info i;
    node_info_read(&a, "/", &i);
    T_OK(i.cpu_milli >= 1000 && i.memory_bytes > 0 && i.memory_available_bytes > 0 && i.memory_available_bytes <= i.memory_bytes);
    T_OK(i.disk_bytes > 0 && i.disk_free_bytes <= i.disk_bytes && i.pids_max > 0 && i.numa_nodes >= 1);
    T_OK(i.kernel.len && i.architecture.len && i.os_image.len && i.boot_id.len && i.address.len);
    T_EQ_STR(node_address(&a), i.address.p);
}

TEST_MAIN(memory, default_route, system_names, processes, processor_time, this_machine)
