/* kill -9 at every failpoint and at random moments; afterwards every acknowledged write must be there, nothing torn.
 *
 * The child writes transactions of two keys each, from several threads, and reports each acknowledged one through a pipe.  The parent
 * keeps what was acknowledged over many lives of the same store and checks it after each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "rt/failpoint.h"
#include "store/embedded/test_util.h"

#define THREADS 4
#define KEYS 16 /* per thread */
#ifdef COX_DEBUG
#define RANDOM_KILLS 8
#define LIFE_TXNS 60
#else
#define RANDOM_KILLS 25
#define LIFE_TXNS 300
#endif

/* One line of the pipe; smaller than PIPE_BUF, so never mixed. */
struct ack {
    uint32_t thread, key;
    uint64_t counter; /* the value written, 0: deleted */
    rev_t rev;
};

static const struct store_embedded_opts small = {.snapshot_bytes = 3000, .segment_bytes = 1500, .history_events = 200};

static str side_key(char side, uint32_t thread, uint32_t key, char buf[32])
{
    return str_n(buf, (size_t)snprintf(buf, 32, "/%c/%u/%02u", side, thread, key));
}

/* --- the child ------------------------------------------------------------------------------------------------------- */

struct child {
    struct store *s;
    int pipe;
    uint32_t thread;
    uint64_t counter; /* first to write */
};

static void *child_write(void *arg)
{
    struct child *c = arg;
    struct rng rng;
    rng_seed(&rng, c->counter + c->thread);
    for (uint64_t n = 0; n < LIFE_TXNS; n++) {
        uint32_t key = (uint32_t)rng_below(&rng, KEYS);
        char left[32], right[32], value[32];
        bool deletes = rng_below(&rng, 4) == 0;
        uint64_t counter = c->counter + n;
        str v = str_n(value, (size_t)snprintf(value, sizeof value, "%llu", (unsigned long long)counter));
        enum store_op_type type = deletes ? STORE_DELETE : STORE_PUT;
        struct store_op ops[] = {{type, side_key('l', c->thread, key, left), v, 0, STORE_ANY_REV, NULL},
                                 {type, side_key('r', c->thread, key, right), v, 0, STORE_ANY_REV, NULL}};
        struct store_txn txn = {.ops = ops, .nops = 2};
        if (store_commit(c->s, &txn) < 0)
            continue;
        store_kv_unref(ops[0].kv);
        store_kv_unref(ops[1].kv);
        struct ack ack = {c->thread, key, deletes ? 0 : counter, txn.revision};
        if (write(c->pipe, &ack, sizeof ack) != sizeof ack)
            _exit(3);
    }
    return NULL;
}

static void child_run(const char *dir, int fd, uint64_t counter, const char *failpoints)
{
    struct err err = ERR_NONE;
    struct store *s;
    if (failpoint_set(str_of(failpoints), &err) < 0 || store_embedded_open(dir, &small, &s, &err) < 0) {
        printf("# child: %s\n", err.msg);
        fflush(stdout);
        _exit(2);
    }
    pthread_t threads[THREADS];
    struct child c[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        c[i] = (struct child){s, fd, i, counter};
        pthread_create(&threads[i], NULL, child_write, &c[i]);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    err_ignore(store_compact(s, store_revision(s), &err), "for its failpoint");
    store_close(s);
    _exit(0);
}

/* --- the parent ------------------------------------------------------------------------------------------------------ */

struct expected {
    uint64_t counter[THREADS][KEYS]; /* acknowledged last, 0: absent */
    rev_t rev;
};

static bool take_ack(int fd, struct expected *x)
{
    struct ack ack;
    if (read(fd, &ack, sizeof ack) != sizeof ack)
        return false;
    x->counter[ack.thread][ack.key] = ack.counter;
    x->rev = MAX(x->rev, ack.rev);
    return true;
}

/* Runs one life of the store, ended from outside so long after its first acknowledgement, or by itself; returns the wait status. */
static int live(const char *dir, struct expected *x, uint64_t counter, const char *failpoints, int kill_after_us)
{
    int fds[2];
    BUG_ON(pipe(fds) < 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        child_run(dir, fds[1], counter, failpoints);
    }
    close(fds[1]);
    if (kill_after_us && take_ack(fds[0], x)) {
        nanosleep(&(struct timespec){.tv_nsec = kill_after_us * 1000l}, NULL);
        kill(pid, SIGKILL);
    }
    while (take_ack(fds[0], x))
        ;
    close(fds[0]);
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static uint64_t stored_counter(struct store *s, char side, uint32_t thread, uint32_t key)
{
    char buf[32];
    uint64_t counter = 0;
    struct store_kv *kv = store_get(s, side_key(side, thread, key, buf));
    if (kv)
        T_OK(str_to_u64(store_kv_value(kv), &counter));
    store_kv_unref(kv);
    return counter;
}

/* Each thread waits for its answer, so after a kill at most one of its writes may be there that was not acknowledged: it has a
 * counter of this life, or deletes. */
static void check(const char *dir, struct expected *x, uint64_t life_begin)
{
    struct store *s = must_open(dir, &small);
    T_OK(store_revision(s) >= x->rev);
    for (uint32_t t = 0; t < THREADS; t++) {
        int differ = 0;
        for (uint32_t k = 0; k < KEYS; k++) {
            uint64_t l = stored_counter(s, 'l', t, k), r = stored_counter(s, 'r', t, k), acked = x->counter[t][k];
            T_EQ_INT(l, r);
            if (l != acked) {
                differ++;
                T_OK(l == 0 || l >= life_begin);
                T_OK(l == 0 || l > acked);
            }
            x->counter[t][k] = l;
        }
        T_OK(differ <= 1);
    }
    x->rev = store_revision(s);
    store_close(s);
}

struct names {
    const char *p[64];
    size_t n;
};

static void collect(void *arg, const char *name)
{
    struct names *names = arg;
    BUG_ON(names->n == ARRAY_LEN(names->p));
    if (strncmp(name, "store.", 6) == 0)
        names->p[names->n++] = name;
}

TEST(killed_at_every_failpoint)
{
    const char *dir = T_TMPDIR();
    struct names names = {0};
    failpoint_list(collect, &names);
    T_OK(names.n >= 12);
    struct expected x = {.rev = 1};
    uint64_t counter = 1;
    for (size_t i = 0; i < names.n; i++) {
        static const int passes[] = {0, 3, 40};
        bool killed = false;
        for (size_t j = 0; j < ARRAY_LEN(passes); j++) {
            char spec[200];
            /* Half records are written only when the write is split. */
            snprintf(spec, sizeof spec, "store.wal.split_write=50%%error(1);%s=%d+panic", names.p[i], passes[j]);
            if (strcmp(names.p[i], "store.wal.split_write") == 0)
                snprintf(spec, sizeof spec, "%s=%d+panic", names.p[i], passes[j]);
            int status = live(dir, &x, counter, spec, 0);
            killed = killed || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
            T_OK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
            check(dir, &x, counter);
            counter += LIFE_TXNS;
        }
        if (!killed)
            T_FAIL_("%s was never reached", names.p[i]);
    }
    dir_remove(dir);
}

TEST(killed_at_random_moments)
{
    const char *dir = T_TMPDIR();
    struct expected x = {.rev = 1};
    struct rng rng;
    rng_seed(&rng, 5);
    uint64_t counter = 1;
    for (int i = 0; i < RANDOM_KILLS; i++) {
        live(dir, &x, counter, "store.wal.split_write=30%error(1);store.wal.mid_write=20%sleep(1)", (int)rng_below(&rng, 40000) + 1);
        check(dir, &x, counter);
        counter += LIFE_TXNS;
    }
    T_OK(x.rev > RANDOM_KILLS);
    dir_remove(dir);
}

/* Disk full now and then, at each place that can say so: no acknowledged write may be missing, none refused may be there. */
TEST(errors_at_every_failpoint)
{
    const char *dir = T_TMPDIR();
    static const char *const specs[] = {
        "store.wal.write=20%error(ENOSPC)",         "store.wal.grow=20%error(ENOSPC)",
        "store.wal.segment.write=50%error(ENOSPC)", "store.snap.write=50%error(ENOSPC)",
        "store.snap.sync=50%error(EIO)",            "store.wal.split_write=50%error(1);store.wal.mid_write=30%error(ENOSPC)",
    };
    struct expected x = {.rev = 1};
    uint64_t counter = 1;
    for (size_t i = 0; i < ARRAY_LEN(specs); i++) {
        int status = live(dir, &x, counter, specs[i], 0);
        T_OK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        struct expected before = x;
        check(dir, &x, counter);
        T_OK(memcmp(before.counter, x.counter, sizeof x.counter) == 0);
        counter += LIFE_TXNS;
    }
    dir_remove(dir);
}

TEST_MAIN(killed_at_every_failpoint, killed_at_random_moments, errors_at_every_failpoint)
