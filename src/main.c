/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "agent/shim/shim.h"
#include "agent/web.h"
#include "cli/cli.h"

int main(int argc, char **argv)
{
    /* One process a container, hidden: agent/shim/shim.h. */
    if (argc > 1 && strcmp(argv[1], "shim") == 0)
        return shim_main(argc - 1, argv + 1);
    /* What the built-in image cox/web runs; before anything else of this program costs memory. */
    if (argc > 1 && strcmp(argv[1], "web") == 0)
        return web_main(argc - 1, argv + 1);
    return cli_main(argc, argv);
}
