/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/instructions.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter = -2; /* -2: not tried, -1: not to be had */

void instructions_start(void)
{
    if (counter == -2) {
        struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof attr, .config = PERF_COUNT_HW_INSTRUCTIONS, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1};
        counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0ul);
    }
    if (counter < 0)
        return;
    ioctl(counter, PERF_EVENT_IOC_RESET, 0);
    ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
}

uint64_t instructions_stop(void)
{
    uint64_t n = 0;
    if (counter < 0)
        return 0;
    ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
    return read(counter, &n, sizeof n) == sizeof n ? n : 0;
}
