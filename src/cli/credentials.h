/* credentials.h - the admin's credentials in kubeconfig files: written, remembered in the data folder, and taken out again by cox uninstall.
 *
 *     DIR/kubeconfigs   a line a file:  PATH <tab> the context that was current before <tab> what was not there before: "file", "folder" or "-"
 *
 * Threads: main only.  Ownership: nothing is kept.  Limits: KUBECONFIG_FILE_MAX a kubeconfig, 1 MiB of lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/kubeconfig.h"

/* Merges the cluster into the file and remembers that; *ret_name, on the arena: under which name. */
int credentials_write(const char *data_dir, const char *path, const struct kubeconfig_cluster *c, struct arena *a, const char **ret_name, struct err *err) MUST_CHECK;
/* Takes the cluster of the folder out of every file that it was written to; a file and a folder that were made for it go when nothing else is in
 * them.  What cannot be mended is told on standard error, and does not hinder the rest. */
void credentials_forget(const char *data_dir);
