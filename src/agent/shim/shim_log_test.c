/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/shim/shim_log.h"

#include <sys/stat.h>

#include "base/test.h"
#include "rt/file.h"

#define WALL (1700000000ll * NSEC_PER_SEC + 5)
#define AT "2023-11-14T22:13:20.000000005Z "

static char *slurp(const char *path)
{
    char *text = NULL;
    return file_read(path, 64u << 20, &text, NULL, NULL) < 0 ? xstrdup("") : text;
}

static void clean(const char *dir)
{
    STRBUF_AUTO rm = STRBUF_HEAP;
    strbuf_addf(&rm, "rm -rf '%s'", dir);
    T_EQ_INT(system(rm.p), 0);
}

TEST(lines_and_parts)
{
    const char *dir = T_TMPDIR();
    char path[128];
    snprintf(path, sizeof path, "%s/0.log", dir);
    struct shim_log l;
    struct err err = ERR_NONE;
    T_NO_ERR(shim_log_open(&l, path, 0, 0, &err), &err);
    shim_log_write(&l, 0, S("one\ntw"), WALL, 1);
    shim_log_write(&l, 1, S("err\n\n"), WALL, 1);
    shim_log_write(&l, 0, S("o\nlast"), WALL, 1);
    shim_log_close(&l, WALL);
    char *text CLEANUP(free) = slurp(path);
    T_EQ_STR(str_of(text), AT "stdout F one\n" AT "stderr F err\n" AT "stderr F \n" AT "stdout F two\n" AT "stdout F last\n");
    clean(dir);
}

TEST(long_lines_are_cut)
{
    const char *dir = T_TMPDIR();
    char path[128];
    snprintf(path, sizeof path, "%s/0.log", dir);
    struct shim_log l;
    struct err err = ERR_NONE;
    T_NO_ERR(shim_log_open(&l, path, 1 << 20, 3, &err), &err);
    STRBUF_AUTO b = STRBUF_HEAP;
    for (size_t i = 0; i < SHIM_LOG_PART * 2 + 5; i++)
        strbuf_add_char(&b, 'x');
    strbuf_add_char(&b, '\n');
    for (size_t i = 0; i < b.len; i += 1000)
        shim_log_write(&l, 0, str_sub(strbuf_str(&b), i, i + 1000), WALL, 1);
    shim_log_close(&l, WALL);
    char *text CLEANUP(free) = slurp(path);
    size_t total = 0, parts = 0;
    for (str left = str_of(text), line; left.len; parts++) {
        str_cut(&left, '\n', &line);
        T_OK(str_has_prefix(line, parts < 2 ? S(AT "stdout P ") : S(AT "stdout F ")));
        total += line.len - strlen(AT "stdout P ");
    }
    T_EQ_INT(parts, 3);
    T_EQ_INT(total, SHIM_LOG_PART * 2 + 5);
    clean(dir);
}

TEST(rotation)
{
    const char *dir = T_TMPDIR();
    char path[128], old[160];
    snprintf(path, sizeof path, "%s/0.log", dir);
    struct shim_log l;
    struct err err = ERR_NONE;
    T_NO_ERR(shim_log_open(&l, path, 2000, 3, &err), &err);
    for (int i = 0; i < 500; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %d\n", i);
        shim_log_write(&l, 0, str_of(line), WALL, 1);
    }
    shim_log_close(&l, WALL);
    char *newest CLEANUP(free) = slurp(path);
    T_OK(str_find(str_of(newest), S("line 499\n")) > 0);
    struct stat st;
    for (int i = 1; i < 5; i++) {
        snprintf(old, sizeof old, "%s.%d", path, i);
        T_EQ_INT(stat(old, &st), i < 3 ? 0 : -1);
        T_OK(i >= 3 || st.st_size <= 2000);
    }
    clean(dir);
}

TEST(a_flood_is_slowed_down)
{
    const char *dir = T_TMPDIR();
    char path[128];
    snprintf(path, sizeof path, "%s/0.log", dir);
    struct shim_log l;
    struct err err = ERR_NONE;
    T_NO_ERR(shim_log_open(&l, path, 1 << 20, 2, &err), &err);
    T_EQ_INT(shim_log_wait_ns(&l, NSEC_PER_SEC), 0);
    STRBUF_AUTO b = STRBUF_HEAP;
    for (int i = 0; i < 30000; i++)
        strbuf_add_str(&b, S("y\n"));
    uint64_t written = 0;
    for (nsec_t now = NSEC_PER_SEC; now < 11 * NSEC_PER_SEC;) { /* ten seconds on paper */
        nsec_t wait = shim_log_wait_ns(&l, now);
        if (!wait) {
            shim_log_write(&l, 0, strbuf_str(&b), WALL, now);
            written += 30000 * (strlen(AT) + 11);
        }
        now += MAX(wait, (nsec_t)1000);
    }
    T_OK(written <= 10 * SHIM_LOG_RATE + SHIM_LOG_BURST + (4 << 20));
    T_OK(written >= 8 * SHIM_LOG_RATE);
    shim_log_close(&l, WALL);
    clean(dir);
}

TEST_MAIN(lines_and_parts, long_lines_are_cut, rotation, a_flood_is_slowed_down)
