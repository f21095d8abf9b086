/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/protobuf.h"

#include "base/test.h"

TEST(fields_round_trip)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    protobuf_add_varint(&b, 1, 150);
    protobuf_add_varint(&b, 2, (uint64_t)-1);
    protobuf_add_str(&b, 16, S("testing"));
    protobuf_add_fixed32(&b, 3, 0xdeadbeef);
    protobuf_add_fixed64(&b, 4, 0x0123456789abcdef);
    protobuf_add_double(&b, 5, -2.5);
    protobuf_add_str(&b, (1u << 29) - 1, S(""));
    struct protobuf_reader r = protobuf_reader(strbuf_str(&b));
    T_OK(protobuf_next(&r) && r.number == 1 && r.type == PROTOBUF_VARINT && r.value == 150);
    T_OK(protobuf_next(&r) && r.number == 2 && (int64_t)r.value == -1);
    T_OK(protobuf_next(&r) && r.number == 16 && r.type == PROTOBUF_BYTES && str_is(r.bytes, "testing"));
    T_OK(protobuf_next(&r) && r.number == 3 && r.type == PROTOBUF_FIXED32 && r.value == 0xdeadbeef);
    T_OK(protobuf_next(&r) && r.number == 4 && r.value == 0x0123456789abcdef);
    T_OK(protobuf_next(&r) && r.type == PROTOBUF_FIXED64 && protobuf_double(r.value) == -2.5);
    T_OK(protobuf_next(&r) && r.number == (1u << 29) - 1 && r.bytes.len == 0);
    T_OK(!protobuf_next(&r) && !r.bad);
}

TEST(bytes_are_as_documented)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    protobuf_add_varint(&b, 1, 150);
    size_t mark = protobuf_open(&b, 3);
    protobuf_add_str(&b, 2, S("ab"));
    protobuf_close(&b, mark);
    T_OK(str_eq(strbuf_str(&b), S("\x08\x96\x01\x1a\x04\x12\x02" "ab")));
}

/* Nested messages around the sizes where the length needs one byte more. */
TEST(nested_lengths)
{
    static const size_t sizes[] = {0, 1, 125, 126, 127, 128, 129, 16380, 16383, 16384, 2100000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        char *text CLEANUP(free) = xmalloc(sizes[i] + 1);
        memset(text, 'x', sizes[i]);
        STRBUF_AUTO b = STRBUF_HEAP;
        size_t outer = protobuf_open(&b, 1), inner = protobuf_open(&b, 2);
        strbuf_add(&b, text, sizes[i]);
        protobuf_close(&b, inner);
        protobuf_close(&b, outer);
        protobuf_add_varint(&b, 3, 7);
        struct protobuf_reader r = protobuf_reader(strbuf_str(&b));
        T_OK(protobuf_next(&r) && r.number == 1);
        struct protobuf_reader in = protobuf_reader(r.bytes);
        T_OK(protobuf_next(&in) && in.number == 2 && str_eq(in.bytes, str_n(text, sizes[i])));
        T_OK(!protobuf_next(&in) && !in.bad);
        T_OK(protobuf_next(&r) && r.value == 7 && !protobuf_next(&r) && !r.bad);
    }
}

TEST(bad_input_is_refused)
{
    static const str bad[] = {
        STR_INIT("\x08"),                                             /* no value */
        STR_INIT("\x08\x80"),                                         /* varint cut off */
        STR_INIT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),     /* over 64 bits */
        STR_INIT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* 11 bytes */
        STR_INIT("\x00\x01"),                                         /* field 0 */
        STR_INIT("\x0b"),                                             /* group */
        STR_INIT("\x0c"),
        STR_INIT("\x0e\x01"),                                         /* type 6 */
        STR_INIT("\x12\x05" "abcd"),                                  /* longer than the input */
        STR_INIT("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),     /* length 2^64-1 */
        STR_INIT("\x09\1\2\3\4\5\6\7"),                               /* fixed64 cut off */
        STR_INIT("\x0d\1\2\3"),                                       /* fixed32 cut off */
        STR_INIT("\x80\x80\x80\x80\x10\x01"),                         /* number 2^29 */
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct protobuf_reader r = protobuf_reader(bad[i]);
        T_OK(!protobuf_next(&r) && r.bad && !protobuf_next(&r));
    }
}

TEST(packed_and_zigzag)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    static const int64_t values[] = {0, -1, 1, -2, INT64_MAX, INT64_MIN, 300};
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        protobuf_write_varint(&b, protobuf_zigzag(values[i]));
    str rest = strbuf_str(&b);
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        uint64_t v = 0;
        T_OK(protobuf_take_varint(&rest, &v) && protobuf_unzigzag(v) == values[i]);
    }
    T_EQ_INT(rest.len, 0);
    T_OK(protobuf_float(0x3fc00000) == 1.5f);
}

TEST_MAIN(fields_round_trip, bytes_are_as_documented, nested_lengths, bad_input_is_refused, packed_and_zigzag)
