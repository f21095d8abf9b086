/* web.h - the smallest web server worth looking at: what the built-in image cox/web runs.
 *
 *     PORT=8080 cox web        GET /  a page (HTML for browsers, a line of text for the rest)      GET /healthz  "ok"
 * It says which pod answered, its version and how many requests it has answered; a line a request goes to stdout.  SIGTERM and SIGINT end it with status 0.
 * Threads: one, the caller's; it runs before anything else of the program is set up.
 * Limits: WEB_CONNECTIONS at once, further ones replace the one that was silent longest; 8 KiB of request head. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define WEB_CONNECTIONS 256

int web_main(int argc, char **argv);
