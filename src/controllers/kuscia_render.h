/* kuscia_render.h - configuration files with Kuscia's variables in them.
 *
 *   {{.NAME}}                 the variable, so that it can stand between quotation marks: quotes and line ends in it are escaped
 *   {{{.NAME}}}               the variable as it is
 *   {{{.NAME.a.b[0].c}}}      a part of a variable that is JSON; [KEY=VALUE] the first item that has it, [.NAME.x] the item whose number is there
 * What is not there is nothing.  Spaces within the braces are fine.  Anything else between {{ and }} (Go has a language there) is an error that says where.
 * Threads: pure.  Ownership: the arena's.
 * Limits: RENDER_BYTES of output; paths of RENDER_STEPS steps. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

#define RENDER_BYTES (1u << 20) /* what a ConfigMap holds */
#define RENDER_STEPS 64

/* vars: object of texts. */
int kuscia_render(struct arena *a, str text, const struct json *vars, str *ret, struct err *err) MUST_CHECK;
