/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/cron_schedule.h"

#include "base/civil.h"
#include "base/test.h"

/* A zone file with no changes and a rule: version 2 header twice, one type. */
static struct time_zone *zone(const char *rule)
{
    static char bytes[512];
    struct time_zone *z = NULL;
    size_t n = 0;
    for (int part = 0; part < 2; part++) {
        memset(bytes + n, 0, 44 + 6 + 4);
        memcpy(bytes + n, "TZif2", 5);
        bytes[n + 39] = 1; /* types */
        bytes[n + 43] = 4; /* characters */
        n += 44 + 6 + 4;
    }
    n += (size_t)snprintf(bytes + n, sizeof bytes - n, "\n%s\n", rule);
    struct err err;
    T_NO_ERR(time_zone_parse(str_n(bytes, n), &z, &err), &err);
    return z;
}

static nsec_t at(const char *text)
{
    nsec_t t = 0;
    T_OK(civil_parse(str_of(text), &t));
    return t;
}

static void check(const char *schedule, const char *rule, const char *from, const char *want)
{
    struct cron_schedule s;
    char have[CIVIL_TIME_LEN + 1] = "";
    struct time_zone *z = zone(rule);
    if (!cron_parse(str_of(schedule), &s)) {
        T_FAIL_("'%s' is refused", schedule);
        return;
    }
    nsec_t next = cron_next(&s, z, at(from));
    if (next)
        civil_format(next, have);
    if (strcmp(have, want) != 0)
        T_FAIL_("'%s' after %s is '%s', expected '%s'", schedule, from, have, want);
    time_zone_free(z);
}

TEST(next_times)
{
    check("* * * * *", "UTC0", "2026-11-16T08:00:30Z", "2026-11-16T08:01:00Z");
    check("* * * * *", "UTC0", "2026-11-16T08:00:00Z", "2026-11-16T08:01:00Z");
    check("*/15 3-5 * * *", "UTC0", "2026-11-16T05:45:00Z", "2026-11-17T03:00:00Z");
    check("0 0 29 2 *", "UTC0", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z");
    check("0 0 30 2 *", "UTC0", "2026-03-01T00:00:00Z", "");
    check("0 9 * jan-mar mon", "UTC0", "2026-11-16T08:00:00Z", "2027-01-04T09:00:00Z");
    check("0 0 13 * fri", "UTC0", "2026-11-10T00:00:00Z", "2026-11-13T00:00:00Z"); /* either */
    check("0 0 13 * fri", "UTC0", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z");
    check("@daily", "UTC0", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z");
    check("@every 1h30m", "UTC0", "2026-11-16T08:00:00Z", "2026-11-16T09:30:00Z");
}

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

TEST(time_zones)
{
    check("0 3 * * *", BERLIN, "2026-11-16T00:00:00Z", "2026-11-16T02:00:00Z");
    check("0 3 * * *", BERLIN, "2026-07-16T00:00:00Z", "2026-07-16T01:00:00Z");
    check("30 2 * * *", BERLIN, "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"); /* 2:30 does not exist on the 29th */
    check("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z");
    check("0 0 * * *", "<+0530>-5:30", "2026-11-16T00:00:00Z", "2026-11-16T18:30:00Z");
    check("0 0 * * *", "AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-12-31T00:00:00Z", "2026-12-31T13:00:00Z");
    struct time_zone *z = zone(BERLIN);
    T_EQ_INT(time_zone_offset(z, at("2026-03-29T00:59:59Z")), 3600);
    T_EQ_INT(time_zone_offset(z, at("2026-03-29T01:00:00Z")), 7200);
    T_EQ_INT(time_zone_offset(z, at("2026-10-25T00:59:59Z")), 7200);
    T_EQ_INT(time_zone_offset(z, at("2026-10-25T01:00:00Z")), 3600);
    time_zone_free(z);
}

TEST(last_times)
{
    struct cron_schedule s;
    struct time_zone *z = zone("UTC0");
    T_OK(cron_parse(S("* * * * *"), &s));
    T_OK(cron_last(&s, z, at("2020-01-01T00:00:00Z"), at("2026-11-16T08:00:30Z")) == at("2026-11-16T08:00:00Z"));
    T_EQ_INT(cron_last(&s, z, at("2026-11-16T08:00:00Z"), at("2026-11-16T08:00:30Z")), 0);
    T_OK(cron_parse(S("0 0 1 1 *"), &s));
    T_OK(cron_last(&s, z, at("2020-01-01T00:00:00Z"), at("2026-11-16T08:00:30Z")) == at("2026-01-01T00:00:00Z"));
    T_OK(cron_parse(S("0 0 29 2 *"), &s));
    T_OK(cron_last(&s, z, at("2020-01-01T00:00:00Z"), at("2026-11-16T08:00:30Z")) == at("2024-02-29T00:00:00Z"));
    T_OK(cron_parse(S("@every 1h"), &s));
    T_OK(cron_last(&s, z, at("2026-11-16T00:30:00Z"), at("2026-11-16T08:00:30Z")) == at("2026-11-16T07:30:00Z"));
    time_zone_free(z);
}

TEST(bad_input)
{
    static const char *const bad[] = {"", "* * * *", "* * * * * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "x * * * *", "@every", "@every x", "@never"};
    struct cron_schedule s;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (cron_parse(str_of(bad[i]), &s))
            T_FAIL_("'%s' is taken", bad[i]);
    struct time_zone *z;
    struct err err;
    T_ERR(time_zone_parse(S("TZif2"), &z, &err), E_INVALID);
    T_ERR(time_zone_parse(S(""), &z, &err), E_INVALID);
    T_ERR(time_zone_new("/usr/share/zoneinfo", S("../../../etc/passwd"), &z, &err), E_INVALID);
}

TEST_MAIN(next_times, time_zones, last_times, bad_input)
