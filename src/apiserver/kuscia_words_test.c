/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/kuscia_words.h"

#include "apiserver/words_testing.h"

#define G "kuscia.secretflow"
#define NOTED(map, key, value) "{'metadata':{'" map "':{'kuscia.secretflow/" key "':'" value "'}}}"

TEST(work_where_nobody_looks)
{
    struct arena a = {0};
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciatasks", "alice", "{}", NULL), "metadata.namespace: nothing will be done for it in the namespace \"alice\": kusciatasks are carried out in \"cross-domain\"");
    T_OK(said(kuscia_words_validate, &a, G, "kusciajobs", "default", "{}", NULL).len && said(kuscia_words_validate, &a, G, "kusciadeployments", "default", "{}", NULL).len);
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", "{}", NULL), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "default", "{}", "{}"), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "domaindatas", "alice", "{}", NULL), "");
    T_EQ_STR(said(kuscia_words_validate, &a, "batch", "jobs", "alice", "{}", NULL), "");
    arena_fini(&a);
}

TEST(words_without_effect)
{
    struct arena a = {0};
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", NOTED("labels", "job-stage", "stop"), NULL),
             "label kuscia.secretflow/job-stage: \"stop\" has no effect: there are Create, Start, Stop, Suspend, Restart and Cancel");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", NOTED("labels", "job-stage", "Stop"), NULL), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", NOTED("labels", "job-stage", "stop"), NOTED("labels", "job-stage", "stop")), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciadeployments", "cross-domain", NOTED("annotations", "affinity-mode", "antiaffinity"), NULL),
             "annotation kuscia.secretflow/affinity-mode: \"antiaffinity\" has no effect: there are none, affinity and anti-affinity");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "domains", "", NOTED("annotations", "job-approval", "Manual"), NULL), "annotation kuscia.secretflow/job-approval: \"Manual\" has no effect: there is manual");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciatasks", "cross-domain", "{'metadata':{'annotations':{'cox.io/bandwidth-lend':'yes'}}}", NULL), "annotation cox.io/bandwidth-lend: \"yes\" has no effect: there is accept");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", "{'status':{'approveStatus':{'bob':'yes'}}}", "{}"),
             "KusciaJob.kuscia.secretflow \"x\" is invalid: status.approveStatus[bob]: Unsupported value: \"yes\": supported values: \"JobAccepted\", \"JobRejected\"");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", "{'status':{'approveStatus':{'bob':'JobRejected','carol':'old'}}}", "{'status':{'approveStatus':{'carol':'old'}}}"), "");
    arena_fini(&a);
}

#define POLICY(port) "{'spec':{'deployTemplates':[{},{'networkPolicy':{'ingresses':[{'from':{'roles':['a']},'ports':[{'port':'" port "'}]}]},'spec':{'containers':[{'ports':[{'name':'grpc'}]}]}}]}}"

TEST(policies_for_nothing)
{
    struct arena a = {0};
    T_EQ_STR(said(kuscia_words_validate, &a, G, "appimages", "", POLICY("grpcc"), NULL), "spec.deployTemplates[1].networkPolicy.ingresses[0].ports[0].port: \"grpcc\" has no effect: no container of the template has a port of this name");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "appimages", "", POLICY("grpc"), NULL), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "appimages", "", POLICY("grpcc"), POLICY("grpcc")), "");
    arena_fini(&a);
}

#define TO(domain) "{'parties':[{'domainID':'alice','bandwidthLimits':[{'destinationID':'bob','limitKBps':1},{'destinationID':'" domain "','limitKBps':1}]},{'domainID':'bob'}]}"

TEST(limits_to_nobody)
{
    struct arena a = {0};
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciatasks", "cross-domain", "{'spec':" TO("boob") "}", NULL), "spec.parties[0].bandwidthLimits[1].destinationID: domain \"boob\" takes no part in the task");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciajobs", "cross-domain", "{'spec':{'tasks':[{}," TO("boob") "]}}", NULL), "spec.tasks[1].parties[0].bandwidthLimits[1].destinationID: domain \"boob\" takes no part in the task");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciatasks", "cross-domain", "{'spec':" TO("bob") "}", NULL), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciatasks", "cross-domain", "{'spec':" TO("boob") "}", "{'spec':" TO("boob") "}"), "");
    T_EQ_STR(said(kuscia_words_validate, &a, G, "kusciatasks", "cross-domain", "{'spec':{'parties':{'x':1}}}", NULL), "");
    arena_fini(&a);
}

TEST_MAIN(work_where_nobody_looks, words_without_effect, policies_for_nothing, limits_to_nobody)
