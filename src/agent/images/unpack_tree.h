/* unpack_tree.h - removes a folder and everything in it, however deep, without following links or leaving its file system.
 *
 * What foreign archives made is removed with it, so depth costs neither stack nor descriptors: subfolders are moved up before their parent goes.
 * Threads: any; one at a time for one folder.  Limits: none; a mount inside is an error and stays. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

/* Fine when it does not exist; a file is removed, too. */
int tree_remove(int dirfd, const char *name, struct err *err) MUST_CHECK;
