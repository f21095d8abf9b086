/* kuscia_render.h - configuration files with Kuscia's variables in them.
 *
 *   {{.NAME}}                 the variable, so that it can stand between quotation marks: quotes and line ends in it are escaped
 *   {{{.NAME}}}               the variable as it is
 *   {{{.NAME.a.b[0].c}}}      a part of a variable that is JSON; [KEY=VALUE] the first item that has it, [.NAME.x] the item whose number is there
 * What is not there is nothing.  Spaces within the braces are fine.  Anything else between {{ and }} (Go has a language there) is an error that says where.
 * Threads: pure.  Ownership: the arena's; so is what is kept in vars.
 * Limits, over all files that are filled in with the same vars: RENDER_BYTES of output, RENDER_WORK bytes parsed and members passed; paths of RENDER_STEPS steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

#define RENDER_BYTES (1u << 20) /* what a ConfigMap holds */
#define RENDER_WORK (1u << 23)
#define RENDER_STEPS 64

/* vars: object of texts; what was parsed of them, and how much was done, is kept in it for the next file, under names that begin with a line end and values that are no texts.  -E_TOO_LARGE, -E_INVALID_ARG with a sentence. */
int kuscia_render(struct arena *a, str text, struct json *vars, str *ret, struct err *err) MUST_CHECK;
