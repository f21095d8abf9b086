/* memory.h - memory that is resident for no reason any more, given back to the machine.
 *
 * A program that has started has touched much that it will not touch again: code of its beginning (the kernel maps 16 pages for each one that is wanted), freed blocks.  Code pages are clean copies of files: those that are
 * needed come back with a minor fault.
 * Threads: any, also while others run. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

void memory_give_back(void);
