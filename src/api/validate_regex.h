/* validate_regex.h - regular expressions of CRD schemas, in the syntax of RE2.
 *
 * Perl-like syntax without back references or look-around, matched over code points in time linear in the text: the program
 * is a Thompson automaton and all its states advance together.
 * Threads: one at a time per program, which holds the state of its matching.
 * Ownership: programs live in the arena, with a copy of the pattern.
 * Limits: REGEX_INSTRUCTIONS_MAX instructions, repetitions up to 1000, nesting REGEX_DEPTH_MAX: beyond that E_INVALID.  A match that
 * would take more than REGEX_STEPS_MAX steps does not match. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define REGEX_INSTRUCTIONS_MAX 20000
#define REGEX_DEPTH_MAX 200
#define REGEX_STEPS_MAX 200000000ull

struct regex;

int regex_compile(struct arena *a, str pattern, struct regex **ret, struct err *err) MUST_CHECK;
/* Whether the expression matches anywhere in the text; anchors say more. */
bool regex_match(struct regex *re, str text);
