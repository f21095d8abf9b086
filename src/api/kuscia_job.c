/* SPDX-License-Identifier: Apache-2.0 */
#include "api/kuscia_job.h"

str kuscia_job_initiator(const struct json *job)
{
    return json_get_str(json_get(job, S("spec")), S("initiator"));
}

bool kuscia_job_is_party(const struct json *job, str domain)
{
    const struct json *tasks = json_path(job, "spec", "tasks", NULL);
    for (uint32_t i = 0; json_is(tasks, JSON_ARRAY) && i < tasks->len; i++) {
        const struct json *parties = json_get(&tasks->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++)
            if (domain.len && str_eq(json_get_str(&parties->items[k], S("domainID")), domain))
                return true;
    }
    return false;
}

bool kuscia_job_takes_part(const struct json *job, str domain)
{
    return domain.len && (str_eq(kuscia_job_initiator(job), domain) || kuscia_job_is_party(job, domain));
}
