/* instructions.h - how many instructions this thread ran: repeatable where a shared machine's clock is not.
 *
 * Threads: counts the calling thread.  Where the kernel does not let programs count, the answer is 0. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

void instructions_start(void);
uint64_t instructions_stop(void); /* since start */
