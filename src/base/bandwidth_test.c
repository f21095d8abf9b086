/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bandwidth.h"

#include "base/test.h"

TEST(as_people_write_it)
{
    static const struct {
        const char *text;
        int64_t bits;
    } cases[] = {
        {"1000000", 1000000},           {"1", 1},
        {"500Mi", 524288000},           {"10Gi", 10737418240},
        {"1Ti", 1099511627776},         {"8Ki", 8192},
        {"1Gbps", 1000000000},          {"200Mbps", 200000000},
        {"200mbps", 200000000},         {"64kbps", 64000},
        {"64Kbps", 64000},              {"1.5Gbit", 1500000000},
        {"1.5Gi", 1610612736},          {"10 Gbit/s", 10000000000},
        {" 10G ", 10000000000},         {"5M", 5000000},
        {"7k", 7000},                   {"1e9", 1000000000},
        {"2.5e6", 2500000},             {"1e3Mbps", 1000000000},
        {"+3M", 3000000},               {"0.001k", 1},
        {"1.00000000000000000000G", 1000000000}, {"000000000000000000000000012", 12},
        {"1000T", BANDWIDTH_MAX},       {"1000000000000000", BANDWIDTH_MAX},
        {"100bps", 100},                {"100 bits/s", 100},
        {"1Mibit/s", 1048576},          {"0.5Ki", 512},
        {"10100.10k", 10100100},        {"1e15", BANDWIDTH_MAX},
        {"1000e-3k", 1000},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t bits = -1;
        struct err err = ERR_NONE;
        T_EQ_INT(bandwidth_parse(str_of(cases[i].text), &bits, &err), 0);
        T_EQ_INT(bits, cases[i].bits);
    }
}

TEST(refused_with_a_sentence)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "\"\" is no bandwidth: it starts with no number"},
        {"Mi", "no number"},
        {".", "no number"},
        {"fast", "no number"},
        {"0", "\"0\" is no bandwidth: it is zero; leave it out where nothing is wanted"},
        {"0.000Gi", "zero"},
        {"-5M", "negative"},
        {"-0", "negative"},
        {"1.5", "no whole number of bits"},
        {"0.1Ki", "no whole number of bits"},
        {"1e-3", "no whole number"},
        {"1001T", "more than 1 Pbit/s"},
        {"1000000000000001", "more than 1 Pbit/s"},
        {"1e30", "more than 1 Pbit/s"},
        {"999999999999999999T", "more than 1 Pbit/s"},
        {"9999999999999999999999999999999999", "more digits"},
        {"1e99", "write it as"},
        {"10MBps", "B are bytes"},
        {"10MiB/s", "B are bytes"},
        {"10B", "B are bytes"},
        {"5m", "write it as 500Mi, 10G, 200Mbps or 1.5 Gbit/s"},
        {"5K", "write it as"},
        {"5mi", "write it as"},
        {"5Gx", "write it as"},
        {"5 G bps", "write it as"},
        {"1.2.3M", "write it as"},
        {"1,5G", "write it as"},
        {"5E", "write it as"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t bits = -1;
        struct err err = ERR_NONE;
        T_EQ_INT(bandwidth_parse(str_of(cases[i].text), &bits, &err), -E_INVALID_ARG);
        T_EQ_INT(bits, -1);
        T_EQ_STR(strstr(err.msg, cases[i].why) ? str_of(cases[i].why) : str_of(err.msg), cases[i].why);
    }
}

TEST(printed)
{
    char b[BANDWIDTH_TEXT];
    T_EQ_STR(str_of(bandwidth_print(0, b)), "0 bit/s");
    T_EQ_STR(str_of(bandwidth_print(999, b)), "999 bit/s");
    T_EQ_STR(str_of(bandwidth_print(200000000, b)), "200 Mbit/s");
    T_EQ_STR(str_of(bandwidth_print(10737418240, b)), "10.74 Gbit/s");
    T_EQ_STR(str_of(bandwidth_print(1500000000, b)), "1.5 Gbit/s");
    T_EQ_STR(str_of(bandwidth_print(-64000, b)), "-64 kbit/s");
    T_EQ_STR(str_of(bandwidth_print(BANDWIDTH_MAX, b)), "1000 Tbit/s");
    T_OK(strlen(bandwidth_print(INT64_MIN, b)) < BANDWIDTH_TEXT);
}

TEST(kilobytes_of_kuscia)
{
    T_EQ_INT(bandwidth_of_kbps(100), 819200);
    T_EQ_INT(bandwidth_of_kbps(0), 0);
    T_EQ_INT(bandwidth_of_kbps(-1), 0);
    T_EQ_INT(bandwidth_of_kbps(INT64_MAX), 0);
}

TEST(ends)
{
    static const struct {
        const char *text;
        int64_t out, in;
        const char *why;
    } cases[] = {
        {"200Mbps", 200000000, 200000000, NULL},
        {"egress=1G", 1000000000, 0, NULL},
        {"ingress=10Gi, egress=5M", 5000000, 10737418240, NULL},
        {"egress=1G,egress=2G", 0, 0, "one end twice"},
        {"up=1G", 0, 0, "the ends are called egress and ingress"},
        {"egress=1G,", 0, 0, "each part names its end"},
        {"egress=1G,5M", 0, 0, "each part names its end"},
        {"egress=", 0, 0, "starts with no number"},
        {"egress=0", 0, 0, "it is zero"},
        {"", 0, 0, "starts with no number"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t bits[BANDWIDTH_ENDS] = {0};
        struct err err = ERR_NONE;
        int r = bandwidth_parse_ends(str_of(cases[i].text), bits, &err);
        T_EQ_INT(r == 0, !cases[i].why);
        T_EQ_INT(bits[BANDWIDTH_OUT], cases[i].out);
        T_EQ_INT(bits[BANDWIDTH_IN], cases[i].in);
        T_OK(!cases[i].why || str_find(str_of(err.msg), str_of(cases[i].why)) >= 0);
    }
    T_OK(bandwidth_is_resource(S("kuscia.io/bandwidth")) && bandwidth_is_resource(S("cox.io/ingress-bandwidth")) && !bandwidth_is_resource(S("bandwidth")));
    T_OK(bandwidth_is_lent(S("cox.io/lent-egress-bandwidth")) && bandwidth_is_lent(S("cox.io/lent-ingress-bandwidth")) && !bandwidth_is_lent(S("cox.io/egress-bandwidth")));
}

TEST(annotations_of_pods)
{
    static const struct {
        const char *key, *value, *why; /* NULL: it is fine */
    } cases[] = {
        {BANDWIDTH_EGRESS_LIMIT, "10M", NULL},
        {BANDWIDTH_INGRESS_LIMIT, "much", "\"much\" is no bandwidth"},
        {BANDWIDTH_LIMIT_TO "bob", "100", NULL},
        {BANDWIDTH_LIMIT_TO "bob", "0", "\"0\" is no number of KiB/s above 0"},
        {BANDWIDTH_LIMIT_TO "bob", "99999999999999999999", "is no number of KiB/s"},
        {BANDWIDTH_LIMITS, "", NULL},
        {BANDWIDTH_LIMITS, " bob = 20Mbps , 10.0.0.0/8=1G", NULL},
        {BANDWIDTH_LIMITS, "bob=20Mbps,carol", "\"carol\" is not of the form"},
        {BANDWIDTH_LIMITS, "bob=-1", "\"-1\" is no bandwidth"},
        {BANDWIDTH_LIMITS, "=1M", "is not of the form"},
        {"example.com/bandwidth", "much", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct err err = ERR_NONE;
        T_EQ_INT(bandwidth_check_annotation(str_of(cases[i].key), str_of(cases[i].value), &err), cases[i].why ? -E_INVALID_ARG : 0);
        T_OK(!cases[i].why || strstr(err.msg, cases[i].why));
    }
}

TEST_MAIN(as_people_write_it, refused_with_a_sentence, printed, kilobytes_of_kuscia, ends, annotations_of_pods)
