/* generate_workload.c - deployment, job, cronjob. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/generate.h"

#include "base/clock.h"

/* "registry:5000/team/My.App:1" -> "My-App-x7k2p": a name that no two images share when it had to be changed. */
static str container_name(struct session *s, str image)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    str name = str_from(image, (size_t)(str_rfind_char(image, '/') + 1)), rest = name;
    str_cut(&rest, ':', &name);
    rest = name;
    str_cut(&rest, '@', &name);
    struct strbuf b = strbuf_on(&s->arena);
    bool changed = false;
    for (size_t i = 0; i < name.len; i++) {
        bool bad = name.p[i] == '_' || name.p[i] == '.';
        changed = changed || bad;
        strbuf_add_char(&b, bad ? '-' : name.p[i]);
    }
    if (changed) {
        struct rng rng;
        rng_seed(&rng, (uint64_t)clock_wall(&clock_real));
        strbuf_add_char(&b, '-');
        for (int i = 0; i < 5; i++)
            strbuf_add_char(&b, letters[rng_below(&rng, sizeof letters - 1)]);
    }
    return strbuf_str(&b);
}

static int make_deployment(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json meta = generate_meta(s, name), labels = json_make(a, "{\"app\":%s}", name), containers = json_array();
    str *images;
    size_t n = generate_list(s, "image", true, &images);
    if (!n)
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"image\" not set");
    if (n > 1 && s->args->npositional > 1)
        return failure_set(f, E_INVALID_ARG, "cannot specify multiple --image options and command");
    for (size_t i = 0; i < n; i++) {
        struct json c = json_make(a, "{\"name\":%S,\"image\":%S,\"resources\":{}}", container_name(s, images[i]), images[i]);
        generate_command(s, &c, "command");
        if (i == 0 && cli_given(s->args, "port"))
            json_set(a, &c, S("ports"), json_make(a, "[{\"containerPort\":%d}]", cli_int(s->args, "port", 0)));
        json_push(a, &containers, c);
    }
    json_set(a, &meta, S("labels"), labels);
    *ret = json_make(
        a,
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":%j,\"spec\":{\"replicas\":%d,\"selector\":{\"matchLabels\":%j},\"strategy\":{},"
        "\"template\":{\"metadata\":{\"creationTimestamp\":null,\"labels\":%j},\"spec\":{\"containers\":%j}}},\"status\":{}}",
        &meta, cli_int(s->args, "replicas", 1), &labels, &labels, &containers);
    return 0;
}

static struct json pod_template(struct session *s, const char *name, const char *restart)
{
    struct json c = json_make(&s->arena, "{\"name\":%s,\"image\":%s,\"resources\":{}}", name, cli_str_or(s->args, "image", ""));
    generate_command(s, &c, "command");
    return json_make(&s->arena, "{\"metadata\":{\"creationTimestamp\":null},\"spec\":{\"containers\":[%j],\"restartPolicy\":%s}}",
                     &c, restart);
}

/* A cron job's job, now. */
static int job_from(struct session *s, const char *name, const char *from, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct targets found;
    struct resource_query q = {.words = &from, .nwords = 1};
    int r = resources_find(s, &q, &found, f);
    if (r < 0 || !found.len)
        return r < 0 || s->failures.len ? -E_NOT_FOUND : failure_set(f, E_NOT_FOUND, "from must be an existing cronjob");
    const struct json *cron = &found.p[0].object, *template = json_path(cron, "spec", "jobTemplate", NULL), *old;
    if (!str_is(json_get_str(cron, S("kind")), "CronJob"))
        return failure_set(f, E_INVALID_ARG, "from must be an existing cronjob");
    struct json meta = generate_meta(s, name), annotations = json_make(a, "{\"cronjob.kubernetes.io/instantiate\":\"manual\"}");
    old = json_path(template, "metadata", "annotations", NULL);
    for (size_t i = 0; json_is(old, JSON_OBJECT) && i < old->len; i++)
        json_set(a, &annotations, old->members[i].key, old->members[i].value);
    json_set(a, &meta, S("annotations"), annotations);
    if (json_path(template, "metadata", "labels", NULL))
        json_set(a, &meta, S("labels"), *json_path(template, "metadata", "labels", NULL));
    json_set(a, &meta, S("ownerReferences"),
             json_make(a, "[{\"apiVersion\":\"batch/v1\",\"controller\":true,\"kind\":\"CronJob\",\"name\":%S,\"uid\":%S}]",
                       json_str(json_path(cron, "metadata", "name", NULL)), json_str(json_path(cron, "metadata", "uid", NULL))));
    *ret = json_make(a, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":%j,\"spec\":%j,\"status\":{}}", &meta,
                     json_get(template, S("spec")));
    return 0;
}

static int make_job(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    const char *from = cli_str(s->args, "from");
    if (!from == !cli_str(s->args, "image"))
        return failure_set(f, E_INVALID_ARG, "either --image or --from must be specified");
    if (from && s->args->npositional > 1)
        return failure_set(f, E_INVALID_ARG, "cannot specify --from and command");
    if (from)
        return job_from(s, name, from, ret, f);
    struct json meta = generate_meta(s, name), template = pod_template(s, name, "Never");
    *ret = json_make(&s->arena,
                     "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":%j,\"spec\":{\"template\":%j},\"status\":{}}",
                     &meta, &template);
    return 0;
}

static int make_cron_job(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    if (!cli_str(s->args, "image") || !cli_str(s->args, "schedule"))
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"%s\" not set", cli_str(s->args, "image") ? "schedule" : "image");
    struct json meta = generate_meta(s, name), template = pod_template(s, name, cli_str_or(s->args, "restart", "OnFailure"));
    *ret = json_make(
        &s->arena,
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"CronJob\",\"metadata\":%j,\"spec\":{\"jobTemplate\":{\"metadata\":{\"creationTimestamp\":null,\"name\":%s},"
        "\"spec\":{\"template\":%j}},\"schedule\":%s},\"status\":{}}",
        &meta, name, &template, cli_str(s->args, "schedule"));
    return 0;
}

static const struct cli_option deployment_options[] = {
    {"image", 0, CLI_LIST, "IMAGE", "", "Image of a container; may be given several times.", NULL},
    {"replicas", 'r', CLI_INT, "N", "1", "How many pods.", NULL},
    {"port", 0, CLI_INT, "PORT", "", "Port that the first container serves on.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option job_options[] = {
    {"image", 0, CLI_STRING, "IMAGE", "", "Image to run.", NULL},
    {"from", 0, CLI_STRING, "cronjob/NAME", "", "Run a cron job's job now.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option cron_job_options[] = {
    {"image", 0, CLI_STRING, "IMAGE", "", "Image to run.", NULL},
    {"schedule", 0, CLI_STRING, "CRON", "", "When: minute hour day month weekday.", NULL},
    {"restart", 0, CLI_STRING, "POLICY", "OnFailure", "Or Never.", NULL},
    GENERATE_OPTIONS,
    {0},
};
GENERATOR(create_deployment, "deployment", "deploy", "Create a deployment.",
          "NAME --image=IMAGE [--replicas=N] [-- COMMAND ARGS...]", deployment_options);
GENERATOR(create_job, "job", NULL, "Create a job.", "NAME (--image=IMAGE | --from=cronjob/NAME) [-- COMMAND ARGS...]",
          job_options);
GENERATOR(create_cron_job, "cronjob", "cj", "Create a cron job.",
          "NAME --image=IMAGE --schedule='0/5 * * * ?' [-- COMMAND ARGS...]", cron_job_options);

const struct generator generate_workloads[] = {
    {&create_deployment, make_deployment, "failed to create deployment: "},
    {&create_job, make_job, "failed to create job: "},
    {&create_cron_job, make_cron_job, "failed to create cronjob: "},
    {0},
};
