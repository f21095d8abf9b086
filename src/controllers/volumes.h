/* volumes.h - the controllers of claims and volumes, for the registry. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/controller.h"

extern const struct controller_type controller_volumes, controller_ephemeral_volumes;
