/* Runs a fuzzer's entry once for each file of the given corpora: what a found input once broke stays a test.
 *
 *     selector_fuzz tests/fuzz/corpus/selector [more files or folders]
 * Every input is given in a heap block of exactly its size, so that a sanitizer sees one byte read too far. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <sys/stat.h>

#include "base/str.h"

#define INPUT_MAX (16u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    struct strbuf b = STRBUF_HEAP;
    char part[4096];
    for (size_t n; b.len < INPUT_MAX && (n = fread(part, 1, sizeof part, f)) > 0;)
        strbuf_add(&b, part, n);
    bool good = !ferror(f);
    fclose(f);
    uint8_t *exact = xmalloc(b.len ? b.len : 1);
    if (b.len)
        memcpy(exact, b.p, b.len);
    if (good)
        LLVMFuzzerTestOneInput(exact, b.len);
    free(exact);
    strbuf_fini(&b);
    return good;
}

/* The number of files that ran, or -1. */
static long run_folder(const char *path)
{
    struct dirent **names;
    int n = scandir(path, &names, NULL, alphasort);
    long ran = n < 0 ? -1 : 0;
    for (int i = 0; i < n; i++) {
        STRBUF_AUTO file = STRBUF_HEAP;
        strbuf_addf(&file, "%s/%s", path, names[i]->d_name);
        if (ran >= 0 && names[i]->d_name[0] != '.')
            ran = run_file(file.p) ? ran + 1 : -1;
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return ran;
}

int main(int argc, char **argv)
{
    long total = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        long ran = -1;
        if (stat(argv[i], &st) == 0)
            ran = S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i]) ? 1 : -1;
        if (ran < 0) {
            fprintf(stderr, "%s: cannot read %s\n", argv[0], argv[i]);
            return 1;
        }
        total += ran;
    }
    printf("ok 1 - %ld inputs\n1..1\n", total);
    return total ? 0 : 1;
}
