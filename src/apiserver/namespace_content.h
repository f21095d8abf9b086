/* namespace_content.h - what every namespace has from its first moment: the default service account and the cluster's CA. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

/* Without uid and creationTimestamp. */
struct json namespace_service_account(struct arena *a, str ns);
struct json namespace_root_ca(struct arena *a, str ns, str ca_pem);
