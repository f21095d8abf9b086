/* sched_object_fuzz.c - whatever JSON comes, the scheduling engine takes it or refuses it with a sentence, and its state stays consistent.
 *
 * Input: one or more JSON objects one after another, put as they come, the last one twice (an update must not add); then each pod that waits is
 * placed once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(struct sched *s, const struct json *obj)
{
    struct err err = ERR_NONE;
    bool known;
    if (object_put(s, obj, &known, &err) < 0)
        BUG_ON(!err.msg[0] || !err.code);
}

static void check(struct sched *s)
{
    struct err err = ERR_NONE;
    if (model_check(s, &err) < 0) {
        fprintf(stderr, "%s\n", err.msg);
        BUG_ON("the state is not what its pods say");
    }
}

static void place(struct sched *s)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    for (unit_id u = 1; u < s->nunits_slots && u < 64; u++)
        if (s->units[u].used)
            sched_place(s, u, 0, &d);
    unit_decision_fini(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    str rest = str_trim(str_n((const char *)data, size));
    struct json obj = json_null();
    for (int i = 0; i < 32 && rest.len; i++) {
        struct json_parse_opts opts = {.stop_at_end = true};
        if (json_parse(&a, rest, &opts, &obj, NULL) < 0)
            break;
        rest = str_trim(str_from(rest, opts.used));
        put(s, &obj);
    }
    put(s, &obj);
    check(s);
    place(s);
    check(s);
    sched_free(s);
    return 0;
}
