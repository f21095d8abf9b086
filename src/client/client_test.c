/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"

#include "client/test_server.h"

static struct err err;

#define JSON_REPLY(status, body)                                                                                                       \
    {                                                                                                                                  \
        .bytes = STR_INIT("HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" body), .close = true    \
    }

static struct client *client_to(const struct test_server *s)
{
    struct client *c = NULL;
    struct kubeconfig_resolved r = {.server = s->url,
                                    .namespace_ = "team",
                                    .token = "tok",
                                    .username = "",
                                    .password = "",
                                    .as = "eve"};
    T_NO_ERR(client_new(&r, "cox/test", &c, &err), &err);
    return c;
}
static int get(struct client *c, const char *path, struct arena *a, struct client_response *res)
{
    return client_do(c, &(struct client_request){.method = S("GET"), .path = str_of(path)}, a, res, &err);
}

TEST(answers_are_parsed_and_errors_are_the_servers)
{
    static const struct test_reply script[] = {
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 18\r\n"
                           "Warning: 299 - \"v1 is \\\"old\\\"\"\r\n\r\n{\"kind\":\"PodList\"}")},
        JSON_REPLY("404 Not Found", "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"pods \\\"x\\\" not found\",\"code\":404}"),
        JSON_REPLY("409 Conflict", "{\"kind\":\"Status\",\"reason\":\"AlreadyExists\",\"message\":\"pods \\\"x\\\" already exists\"}"),
        JSON_REPLY("409 Conflict", "{\"kind\":\"Status\",\"reason\":\"Conflict\",\"message\":\"again\"}"),
        JSON_REPLY("418 I'm a teapot", "{\"kind\":\"Tea\"}"),
        {.bytes = STR_INIT("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<h1>proxy</h1>\n"), .close = true},
        JSON_REPLY("200 OK", "{\"kind\":"),
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok")},
    };
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    struct client *c = client_to(&s);
    T_EQ_STR(str_of(client_namespace(c)), "team");
    ARENA_AUTO a = ARENA_INIT;
    struct client_response res;
    STRBUF_AUTO path = STRBUF_HEAP;
    STRBUF_AUTO query = STRBUF_HEAP;
    strbuf_add_str(&path, S("/api/v1/namespaces"));
    client_path_add(&path, S("a/b"));
    client_query_add(&query, "limit", S("5"));
    client_query_add(&query, "labelSelector", S("a in (b,c)"));
    T_NO_ERR(client_do(c,
                       &(struct client_request){.method = S("PATCH"),
                                                .path = strbuf_str(&path),
                                                .query = strbuf_str(&query),
                                                .content_type = S("application/merge-patch+json"),
                                                .accept = S("application/json;as=Table"),
                                                .body = S("{}")},
                       &a, &res, &err),
             &err);
    T_EQ_STR(json_get_str(&res.json, S("kind")), "PodList");
    T_EQ_INT(res.nwarnings, 1);
    T_EQ_STR(res.warnings[0], "v1 is \"old\"");
    T_ERR(get(c, "/x", &a, &res), E_NOT_FOUND);
    T_EQ_STR(str_of(err.msg), "pods \"x\" not found");
    T_EQ_INT(res.status, 404);
    T_ERR(get(c, "/x", &a, &res), E_EXISTS);
    T_ERR(get(c, "/x", &a, &res), E_CONFLICT);
    T_ERR(get(c, "/x", &a, &res), E_INVALID_ARG);
    T_ERR(get(c, "/x", &a, &res), E_INTERNAL);
    T_EQ_STR(str_of(err.msg), "the server answered 502 Bad Gateway: <h1>proxy</h1>");
    T_ERR(get(c, "/x", &a, &res), E_PARSE);
    T_NO_ERR(get(c, "/x", &a, &res), &err);
    T_EQ_STR(res.body, "ok");
    client_free(c);
    test_server_stop(&s);
    str first = str_of(s.requests[0]);
    T_OK(str_has_prefix(first, S("PATCH /api/v1/namespaces/a%2Fb?limit=5&labelSelector=a%20in%20%28b%2Cc%29 HTTP/1.1\r\n")));
    T_OK(str_find(first, S("Authorization: Bearer tok\r\n")) > 0);
    T_OK(str_find(first, S("User-Agent: cox/test\r\n")) > 0);
    T_OK(str_find(first, S("Accept: application/json;as=Table\r\nContent-Type: application/merge-patch+json\r\nImpersonate-User: eve\r\n")) > 0);
    test_server_fini(&s);
}

struct seen {
    struct strbuf text;
    int stop_after;
};
static bool on_event(void *arg, str type, struct json *object, struct arena *a)
{
    struct seen *k = arg;
    strbuf_addf(&k->text, STR_FMT "=" STR_FMT ";", STR_ARG(type), STR_ARG(json_text(a, object)));
    return --k->stop_after != 0;
}

TEST(watch_gives_events_until_somebody_ends_it)
{
    static const struct test_reply script[] = {
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "1d\r\n{\"type\":\"ADDED\",\"object\":{\"a\"\r\n"
                           "5\r\n:1}}\n\r\n"
                           "26\r\n\n{\"type\":\"MODIFIED\",\"object\":{\"a\":2}}\n\r\n0\r\n\r\n"),
         .split = 11},
        {.bytes = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                           "44\r\n{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n{\"type\":\"ADDED\",\"object\":{\"a\":2}}\n\r\n"),
         .close = true},
        JSON_REPLY("200 OK", "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\",\"message\":\"too old\"}}\n"),
        JSON_REPLY("403 Forbidden", "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":\"no\"}"),
        JSON_REPLY("200 OK", "nonsense\n"),
        JSON_REPLY("200 OK", "{\"type\":\"ADDED\"}\n"),
    };
    struct test_server s = {0};
    test_server_start(&s, script, ARRAY_LEN(script));
    struct client *c = client_to(&s);
    struct seen k = {0};
    struct client_request req = {.method = S("GET"), .path = S("/api/v1/pods"), .query = S("watch=true")};
    T_NO_ERR(client_watch_run(c, &req, on_event, &k, &err), &err);
    T_EQ_STR(strbuf_str(&k.text), "ADDED={\"a\":1};MODIFIED={\"a\":2};");
    strbuf_clear(&k.text);
    k.stop_after = 1;
    T_NO_ERR(client_watch_run(c, &req, on_event, &k, &err), &err);
    T_EQ_STR(strbuf_str(&k.text), "ADDED={\"a\":1};");
    T_ERR(client_watch_run(c, &req, on_event, &k, &err), E_EXPIRED);
    T_EQ_STR(str_of(err.msg), "too old");
    T_ERR(client_watch_run(c, &req, on_event, &k, &err), E_FORBIDDEN);
    T_ERR(client_watch_run(c, &req, on_event, &k, &err), E_PARSE);
    T_ERR(client_watch_run(c, &req, on_event, &k, &err), E_PARSE);
    strbuf_fini(&k.text);
    client_free(c);
    test_server_stop(&s);
    test_server_fini(&s);
}

static bool count_bytes(void *arg, str bytes)
{
    *(size_t *)arg += bytes.len;
    return true;
}
TEST(stream_and_basic_auth)
{
    static const struct test_reply script[] = {{.bytes = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlines")}};
    struct test_server s = {0};
    test_server_start(&s, script, 1);
    struct kubeconfig_resolved r = {.server = s.url, .namespace_ = "default", .token = "", .username = "u", .password = "p:w", .as = ""};
    struct client *c;
    T_NO_ERR(client_new(&r, NULL, &c, &err), &err);
    size_t n = 0;
    T_NO_ERR(client_stream(c, &(struct client_request){.method = S("GET"), .path = S("/log")}, count_bytes, &n, &err), &err);
    T_EQ_INT(n, 5);
    client_free(c);
    test_server_stop(&s);
    T_OK(str_find(str_of(s.requests[0]), S("Authorization: Basic dTpwOnc=\r\n")) > 0);
    test_server_fini(&s);
    T_NO_ERR(client_new_url("unix:/run/none", NULL, &c, &err), &err);
    T_EQ_STR(str_of(client_server(c)), "/run/none");
    client_free(c);
}

TEST_MAIN(answers_are_parsed_and_errors_are_the_servers, watch_gives_events_until_somebody_ends_it, stream_and_basic_auth)
