/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/lib/load.h"
#include "rt/file.h"

static const char *program(void)
{
    const char *p = getenv("COX");
    return p ? p : "build/cox";
}

static int write_tokens(const struct target *t, struct err *err)
{
    char path[300];
    snprintf(path, sizeof path, "%s/tokens.csv", t->dir);
    return file_write_atomic(path, S(TARGET_TOKEN ",bench,1,\"system:masters\"\n"), 0600, err);
}

static void exec_server(const struct target *t, const char *option)
{
    char tokens[300], log[300];
    snprintf(tokens, sizeof tokens, "%s/tokens.csv", t->dir);
    snprintf(log, sizeof log, "%s/server.log", t->dir);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(fd, 1);
    dup2(fd, 2);
    char listen[32], kubeconfig[300];
    snprintf(listen, sizeof listen, "127.0.0.1:%u", t->port);
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", t->dir);
    execl(program(), "cox", "server", "--data-dir", t->dir, "--listen", listen, "--token-file", tokens, "--write-kubeconfig", kubeconfig, "--quiet", "--scheduler=false", "--agent=false", option, (char *)NULL);
    fprintf(stderr, "cannot run %s: %s (run `make` first)\n", program(), strerror(errno));
    _exit(127);
}

/* The server writes its kubeconfig when it serves; the port is in it. */
static bool read_port(struct target *t)
{
    char path[300];
    char *text = NULL;
    snprintf(path, sizeof path, "%s/kubeconfig", t->dir);
    if (file_read(path, 1u << 20, &text, NULL, NULL) < 0)
        return false;
    char *at = strstr(text, "server: https://127.0.0.1:");
    uint64_t port = 0;
    if (at) {
        str rest = str_of(at + sizeof "server: https://127.0.0.1:" - 1), line;
        str_cut(&rest, '\n', &line);
        str_to_u64(str_trim(line), &port);
    }
    free(text);
    t->port = (uint16_t)port;
    return port > 0;
}

int target_start(struct target *t, const char *dir, struct err *err)
{
    return target_start_with(t, dir, NULL, err);
}

int target_start_with(struct target *t, const char *dir, const char *option, struct err *err)
{
    *t = (struct target){0};
    snprintf(t->dir, sizeof t->dir, "%s", dir[0] ? dir : "/tmp/cox-bench-XXXXXX");
    if (!dir[0] && !mkdtemp(t->dir))
        return err_sys(err, errno, "cannot make a temporary folder");
    char kubeconfig[300], ca[300];
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", t->dir);
    snprintf(ca, sizeof ca, "%s/pki/ca.crt", t->dir);
    unlink(kubeconfig);
    int r = write_tokens(t, err);
    if (r < 0)
        return r;
    nsec_t start = clock_mono(&clock_real);
    t->pid = fork();
    if (t->pid == 0)
        exec_server(t, option);
    for (nsec_t end = start + 120 * NSEC_PER_SEC; clock_mono(&clock_real) < end; usleep(500)) {
        int status;
        if (waitpid(t->pid, &status, WNOHANG) == t->pid)
            return err_set(err, E_UNAVAILABLE, "the server ended at once; see %s/server.log", t->dir);
        if (!read_port(t))
            continue;
        free(TAKE(t->ca_pem));
        if (file_read(ca, 1u << 20, &t->ca_pem, NULL, err) < 0 || load_get_status(t, "/readyz") != 200)
            continue;
        t->ready_ns = clock_mono(&clock_real) - start;
        return 0;
    }
    return err_set(err, E_TIMEOUT, "the server was not ready after 120 s; see %s/server.log", t->dir);
}

void target_stop(struct target *t)
{
    if (t->pid > 0) {
        kill(t->pid, SIGTERM);
        waitpid(t->pid, NULL, 0);
        t->pid = 0;
    }
    free(TAKE(t->ca_pem));
}

void target_remove(struct target *t)
{
    char command[320];
    snprintf(command, sizeof command, "rm -rf '%s'", t->dir);
    if (str_has_prefix(str_of(t->dir), S("/tmp/cox-bench-")))
        err_ignore(system(command), "a folder that stays is no failure");
}

uint64_t target_rss(const struct target *t)
{
    char path[64], line[256];
    uint64_t kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)t->pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        str s = str_of(line), key;
        str_cut(&s, ':', &key);
        if (str_is(key, "VmRSS")) {
            s = str_trim(s);
            str number;
            str_cut(&s, ' ', &number);
            str_to_u64(number, &kb);
        }
    }
    if (f)
        fclose(f);
    return kb * 1024;
}

double target_cpu_s(const struct target *t)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)t->pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    /* fields 14 and 15, counted behind the command's closing bracket */
    char *at = strrchr(text, ')');
    str rest = str_of(at ? at + 2 : ""), word;
    uint64_t user = 0, system_time = 0;
    for (int field = 3; rest.len; field++) {
        str_cut(&rest, ' ', &word);
        if (field == 14)
            str_to_u64(word, &user);
        if (field == 15)
            str_to_u64(word, &system_time);
    }
    return (double)(user + system_time) / (double)sysconf(_SC_CLK_TCK);
}
