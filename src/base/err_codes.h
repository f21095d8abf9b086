/* err_codes.h - every error code once: name, HTTP status, Kubernetes Status.reason.
 *
 * X(NAME, http, reason).  Functions return -E_NAME; the API server turns the code into a Status without
 * translation code.  The numbers are not stable across builds and never leave the process. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#define ERR_CODES(X)                                                                               \
    X(INVALID_ARG, 400, "BadRequest")                                                              \
    X(PARSE, 400, "BadRequest")                                                                    \
    X(UNAUTHORIZED, 401, "Unauthorized")                                                           \
    X(FORBIDDEN, 403, "Forbidden")                                                                 \
    X(NOT_FOUND, 404, "NotFound")                                                                  \
    X(METHOD, 405, "MethodNotAllowed")                                                             \
    X(NOT_ACCEPTABLE, 406, "NotAcceptable")                                                        \
    X(EXISTS, 409, "AlreadyExists")                                                                \
    X(CONFLICT, 409, "Conflict")                                                                   \
    X(EXPIRED, 410, "Expired")                                                                     \
    X(TOO_LARGE, 413, "RequestEntityTooLarge")                                                     \
    X(MEDIA_TYPE, 415, "UnsupportedMediaType")                                                     \
    X(INVALID, 422, "Invalid")                                                                     \
    X(BUSY, 429, "TooManyRequests")                                                                \
    X(INTERNAL, 500, "InternalError")                                                              \
    X(IO, 500, "InternalError")                                                                    \
    X(CORRUPT, 500, "InternalError")                                                               \
    X(UNAVAILABLE, 503, "ServiceUnavailable")                                                      \
    X(TIMEOUT, 504, "Timeout")                                                                     \
    X(NO_SPACE, 507, "InsufficientStorage")

enum err_code {
    E_NONE = 0,
#define X(name, http, reason) E_##name,
    ERR_CODES(X)
#undef X
        E_COUNT_
};
