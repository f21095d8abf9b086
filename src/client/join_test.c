/* SPDX-License-Identifier: Apache-2.0 */
#include "client/join.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "rt/tls.h"

TEST(certificates_are_renewed_in_time_and_not_all_at_once)
{
    const nsec_t from = 1000 * NSEC_PER_SEC, life = 1000 * NSEC_PER_SEC;
    int early = 0;
    for (int i = 0; i < 1000; i++) {
        char node[32];
        snprintf(node, sizeof node, "node-%d", i);
        T_OK(!join_is_due(node, from, from + life, from + life * 69 / 100));
        T_OK(join_is_due(node, from, from + life, from + life * 81 / 100));
        T_OK(join_is_due(node, from, from + life, from + 2 * life));
        early += join_is_due(node, from, from + life, from + life * 75 / 100);
    }
    T_OK(early > 300 && early < 700);
    T_OK(join_is_due("x", from, from, from));
}

TEST(what_is_missing_is_said)
{
    struct err err;
    struct join_opts o = {.dir = T_TMPDIR(), .node_name = "n", .clock = &clock_real, .url = "https://127.0.0.1:1", .token = "abcdef.0123456789abcdef"};
    T_OK(!join_is_done(&o));
    T_ERR(join_node(&o, &err), E_INVALID_ARG);
    T_OK(str_find(str_of(err.msg), S("hash")) >= 0);
    o.ca_hash = "sha256:123";
    T_ERR(join_node(&o, &err), E_INVALID_ARG);
    bool client, serving;
    T_OK(join_renew(&o, &client, &serving, &err) < 0);
    T_OK(!client && !serving);
    char path[4096];
    join_path("/d", "kubeconfig", path);
    T_EQ_STR(str_of(path), "/d/agent/kubeconfig");
}

/* Closes its first connections without a word, then says what is no cluster-info. */
static int rude_fd;
static atomic_int asked;
static void *rude_run(void *arg UNUSED)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    for (int fd; (fd = accept(rude_fd, NULL, NULL)) >= 0; close(fd)) {
        char request[4096];
        if (atomic_fetch_add(&asked, 1) < 3 || read(fd, request, sizeof request) <= 0)
            continue;
        ssize_t n = write(fd, answer, sizeof answer - 1);
        (void)n;
    }
    return NULL;
}

TEST(a_server_that_does_not_answer_is_asked_again)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    pthread_t thread;
    char url[64], hash[TLS_PIN_LEN + 1];
    struct err err;
    rude_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    T_OK(bind(rude_fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(rude_fd, 8) == 0 && getsockname(rude_fd, (struct sockaddr *)&at, &len) == 0);
    T_EQ_INT(pthread_create(&thread, NULL, rude_run, NULL), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", ntohs(at.sin_port));
    snprintf(hash, sizeof hash, "sha256:%064d", 1);
    struct join_opts o = {.dir = T_TMPDIR(), .node_name = "n", .clock = &clock_real, .url = url, .token = "abcdef.0123456789abcdef", .ca_hash = hash};
    T_OK(join_node(&o, &err) < 0);
    T_OK(str_find(str_of(err.msg), S("cluster-info")) >= 0);
    T_EQ_INT(atomic_load(&asked), 4);
    shutdown(rude_fd, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(rude_fd);
}

TEST_MAIN(a_server_that_does_not_answer_is_asked_again, certificates_are_renewed_in_time_and_not_all_at_once, what_is_missing_is_said)
