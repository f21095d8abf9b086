/* SPDX-License-Identifier: Apache-2.0 */
#include "base/version.h"

#ifndef COX_VERSION
#define COX_VERSION "unknown"
#endif
#ifndef COX_BUILD_TIME
#define COX_BUILD_TIME "1970-01-01T00:00:00Z"
#endif

const char *cox_version(void)
{
    return COX_VERSION;
}

const char *cox_build_time(void)
{
    return COX_BUILD_TIME;
}
