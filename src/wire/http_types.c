/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http_types.h"

static const struct {
    int status;
    str text;
} status_texts[] = {
    {100, STR_INIT("Continue")},
    {101, STR_INIT("Switching Protocols")},
    {200, STR_INIT("OK")},
    {201, STR_INIT("Created")},
    {202, STR_INIT("Accepted")},
    {204, STR_INIT("No Content")},
    {206, STR_INIT("Partial Content")},
    {301, STR_INIT("Moved Permanently")},
    {302, STR_INIT("Found")},
    {304, STR_INIT("Not Modified")},
    {307, STR_INIT("Temporary Redirect")},
    {308, STR_INIT("Permanent Redirect")},
    {400, STR_INIT("Bad Request")},
    {401, STR_INIT("Unauthorized")},
    {403, STR_INIT("Forbidden")},
    {404, STR_INIT("Not Found")},
    {405, STR_INIT("Method Not Allowed")},
    {406, STR_INIT("Not Acceptable")},
    {408, STR_INIT("Request Timeout")},
    {409, STR_INIT("Conflict")},
    {410, STR_INIT("Gone")},
    {411, STR_INIT("Length Required")},
    {413, STR_INIT("Request Entity Too Large")},
    {414, STR_INIT("Request URI Too Long")},
    {415, STR_INIT("Unsupported Media Type")},
    {417, STR_INIT("Expectation Failed")},
    {422, STR_INIT("Unprocessable Entity")},
    {426, STR_INIT("Upgrade Required")},
    {429, STR_INIT("Too Many Requests")},
    {431, STR_INIT("Request Header Fields Too Large")},
    {500, STR_INIT("Internal Server Error")},
    {501, STR_INIT("Not Implemented")},
    {502, STR_INIT("Bad Gateway")},
    {503, STR_INIT("Service Unavailable")},
    {504, STR_INIT("Gateway Timeout")},
    {505, STR_INIT("HTTP Version Not Supported")},
    {507, STR_INIT("Insufficient Storage")},
};

str http_status_text(int status)
{
    if (status == 200)
        return S("OK");
    for (size_t i = 0; i < ARRAY_LEN(status_texts); i++) {
        if (status_texts[i].status == status)
            return status_texts[i].text;
    }
    return S("Unknown");
}

bool http_is_token(str s)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        bool alnum = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
        if (!alnum && (c == 0 || !strchr(others, c)))
            return false;
    }
    return s.len > 0;
}
