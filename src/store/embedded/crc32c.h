/* crc32c.h - the checksum of everything the store writes (Castagnoli polynomial).
 *
 * Uses the SSE4.2 instruction where the processor has it, else tables.  Threads: any. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

/* crc of what came before, 0 at the beginning. */
uint32_t crc32c(uint32_t crc, const void *p, size_t len);
uint32_t crc32c_tables(uint32_t crc, const void *p, size_t len); /* without the instruction; for the test */
