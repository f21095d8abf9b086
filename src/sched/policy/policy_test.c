/* policy_test.c - tables of small worlds, each with what must run after two turns and stay so for five more. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"

static void run_table(const struct batch_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!batch_run_case(&cases[i]))
            printf("#   case %zu: %s\n", i, cases[i].name);
}

TEST(allocate)
{
    static const struct batch_case cases[] = {
        {"a unit starts", "n1 2", "a", "j@a 1x1", "j 1 n1", 0},
        {"two units of one queue", "n1 2", "a", "j@a 1x1; k@a 1x1", "j 1; k 1", 0},
        {"too large for the node", "n1 2", "a", "j@a 1x3", "j 0", 0},
        {"the older one goes first", "n1 1", "a", "j@a 1x1 created=9; k@a 1x1 created=3", "j 0; k 1", 0},
        {"the more important one goes first", "n1 1", "a", "j@a 1x1 pri=10; k@a 1x1 pri=20", "j 0; k 1", 0},
        {"one that does not fit holds nobody up", "n1 2", "a", "j@a 1x4; k@a 1x1", "j 0; k 1", 0},
        {"no such queue", "n1 2", "a", "j@b 1x1; k@a 1x1", "j 0; k 1", 0},
        {"an inner queue takes nobody", "n1 2", "d; a parent=d", "j@d 1x1; k@a 1x1", "j 0; k 1", 0},
        {"a queue without its parent gets nothing", "n1 2", "a parent=gone", "j@a 1x1", "j 0", 0},
        {"limit of the queue", "n1 4", "a l=2", "j@a 1x1; k@a 1x1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"limit of the department", "n1 4", "d l=2; a parent=d; b parent=d", "j@a 1x1; k@b 1x1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"a smaller one passes the limit", "n1 8", "a l=3", "j@a 1x2; k@a 1x2; l@a 1x1", "j 1; k 0; l 1", 0},
        {"limit of cpu", "n1 4", "a cl=1000", "j@a 1x0 cpu=800; k@a 1x0 cpu=800", "j 1; k 0", 0},
        {"non-preemptible within quota", "n1 4", "a q=2", "j@a 1x1 pri=100; k@a 1x1 pri=100; l@a 1x1 pri=100", "j 1; k 1; l 0", 0},
        {"preemptible beyond quota", "n1 4", "a q=2", "j@a 1x1; k@a 1x1; l@a 1x1", "j 1; k 1; l 1", 0},
        {"non-preemptible by word", "n1 4", "a q=1", "j@a 1x1 fixed; k@a 1x1 fixed", "j 1; k 0", 0},
        {"preemptible by word", "n1 4", "a q=1", "j@a 1x1 pri=100 soft; k@a 1x1 pri=100 soft", "j 1; k 1", 0},
        {"quota of the department binds non-preemptible ones", "n1 4", "d q=1; a parent=d q=2; b parent=d q=2", "j@a 1x1 fixed; k@b 1x1 fixed", "j 1; k 0", 0},
        {"preemptible use does not count against the quota of fixed ones", "n1 4", "a q=2", "j@a 1x2 on=n1; k@a 1x2 fixed", "j 1; k 1", 0},
        {"quota of cpu binds non-preemptible ones", "n1 4", "a cq=500 q=4", "j@a 1x0 cpu=400 fixed; k@a 1x0 cpu=400 fixed", "j 1; k 0", 0},
        {"equal queues share", "n1 2", "a; b", "j@a 1x1; k@a 1x1; l@b 1x1", "j 1; k 0; l 1", 0},
        {"the queue below its quota goes first", "n1 2", "a; b q=2", "j@a 1x1; k@a 1x1; l@b 1x1; m@b 1x1", "j 0; k 0; l 1; m 1", 0},
        {"queue priority goes before share", "n1 2", "a p=100; b p=200", "j@a 1x1; k@a 1x1; l@b 1x1; m@b 1x1", "j 0; l 1; m 1", 0},
        {"weights decide the surplus", "n1 4", "a w=3; b w=1", "j@a 1x1; k@a 1x1; l@a 1x1; m@a 1x1; x@b 1x1; y@b 1x1", "j 1; k 1; l 1; m 0; x 1; y 0", 0},
        {"departments first, then queues", "n1 4", "d q=3; e q=1; a parent=d; b parent=d; c parent=e", "j@a 1x1; k@a 1x1; l@b 1x1; m@c 1x1; n@c 1x1", "j 1; k 1; l 1; m 1; n 0", 0},
        {"three levels", "n1 2", "d; e parent=d; a parent=e; b parent=e", "j@a 1x1; k@b 1x1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"four levels", "n1 2", "c; d parent=c; e parent=d; a parent=e l=1", "j@a 1x1; k@a 1x1", "j 1; k 0", 0},
        {"gang starts as a whole", "n1 2; n2 2", "a", "j@a 4x1", "j 4", 0},
        {"gang that does not fit starts nobody", "n1 2; n2 1", "a", "j@a 4x1", "j 0", 0},
        {"gang beyond the limit", "n1 4", "a l=3", "j@a 4x1", "j 0", 0},
        {"gang beyond quota when fixed", "n1 4", "a q=3", "j@a 4x1 fixed; k@a 3x1 fixed", "j 0; k 3", 0},
        {"gang with too few members waits", "n1 4", "a", "j@a 2x1 min=3; k@a 1x1", "j 0; k 1", 0},
        {"undeclared group waits", "n1 4", "a", "j@a 2x1 undeclared; k@a 1x1", "j 0; k 1", 0},
        {"gated pod waits", "n1 4", "a", "j@a 1x1 gated; k@a 1x1", "j 0; k 1", 0},
        {"a gang completes what runs of it", "n1 4", "a", "j@a 3x1 on=n1", "j 3", 0},
        {"elastic grows to its fill", "n1 4", "a", "j@a 6x1 min=2", "j 4", 0},
        {"elastic grows to the limit", "n1 8", "a l=3", "j@a 6x1 min=2", "j 3", 0},
        {"minimum of the second goes before surplus of the first", "n1 4", "a", "j@a 4x1 min=1; k@a 2x1", "j 2; k 2", 0},
        {"growth alternates between queues", "n1 4", "a; b", "j@a 4x1 min=1; k@b 4x1 min=1", "j 2; k 2", 0},
        {"surplus of an important one before a less important one", "n1 3", "a", "j@a 3x1 min=1 pri=60; k@a 1x1 pri=50", "j 3; k 0", 0},
        {"sub-groups need all their members", "n1 2", "a", "j@a 3x1 min=3 sub=w:2 sub=m:1", "j 0", 0},
        {"sub-groups start together", "n1 3", "a", "j@a 3x1 min=3 sub=w:2 sub=m:1", "j 3", 0},
        {"halves share a device", "n1 1", "a", "j@a 1x0.5; k@a 1x0.5; l@a 1x0.5", "j 1; k 1; l 0", 0},
        {"a half and a whole need two", "n1 2", "a", "j@a 1x0.5; k@a 1x1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"limit in parts of a device", "n1 4", "a l=0.5", "j@a 1x0.5; k@a 1x0.5", "j 1; k 0", 0},
        {"fixed parts within quota", "n1 4", "a q=0.5", "j@a 1x0.5 fixed; k@a 1x0.5 fixed", "j 1; k 0", 0},
        {"part on several devices", "n1 4", "a l=1", "j@a 1x0.5 dev=2; k@a 1x0.5 dev=2", "j 1; k 0", 0},
        {"memory of a device", "n1 2 gmem=16000", "a l=1", "j@a 1x0 mib=8000; k@a 1x0 mib=8000; l@a 1x0 mib=8000", "j 1; k 1; l 0", 0},
        {"too much memory for a device", "n1 2 gmem=16000", "a", "j@a 1x0 mib=20000; k@a 1x0 mib=16000", "j 0; k 1", 0},
        {"cpu alone, no devices", "n1 0 cpu=1000", "a", "j@a 1x0 cpu=600; k@a 1x0 cpu=600", "j 1; k 0", 0},
        {"whole rack for a gang", "n1 2 rack=r1; n2 2 rack=r1; n3 2 rack=r2", "a", "j@a 4x1 need=rack", "j 4", 0},
        {"no rack is large enough", "n1 2 rack=r1; n2 2 rack=r2", "a", "j@a 4x1 need=rack", "j 0", 0},
        {"fullest rack that holds it", "n1 4 rack=r1; n2 2 rack=r2", "a", "j@a 2x1 need=rack", "j 2 n2", 0},
        {"preferred rack gives way", "n1 2 rack=r1; n2 2 rack=r2", "a", "j@a 4x1 like=rack", "j 4", 0},
        {"growth stays in the rack", "n1 2 rack=r1; n2 4 rack=r2", "a", "j@a 4x1 min=1 need=rack on=n1", "j 2", 0},
        {"selector leaves one node", "n1 4 rack=r1; n2 4 rack=r2", "a", "j@a 1x1 at=rack:r2", "j 1 n2", 0},
        {"quota is given even when it is more than there is", "n1 2", "a q=4; b q=4", "j@a 1x1; k@a 1x1; l@b 1x1; m@b 1x1", "j 1; k 0; l 1; m 0", 0},
        {"weight nought gets no surplus but may use what is idle", "n1 2", "a w=0; b", "j@a 1x1", "j 1", 0},
    };
    run_table(cases, ARRAY_LEN(cases));
}

TEST(reclaim)
{
    static const struct batch_case cases[] = {
        {"a queue takes back its quota", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"the one who started last goes", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=100; k@b 1x1 on=n1 start=200; l@a 1x1", "j 1; k 0; l 1", 1},
        {"the less important one goes", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 pri=10 start=100; k@b 1x1 on=n1 pri=20 start=200; l@a 1x1", "j 0; k 1; l 1", 1},
        {"nobody within quota is touched", "n1 2", "a q=1; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"fair share without quotas", "n1 2", "a; b", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"not beyond the own fair share", "n1 2", "a; b", "j@b 1x1 on=n1; k@a 1x1 on=n1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"non-preemptible ones stay", "n1 2", "a; b q=2", "j@b 1x1 on=n1 fixed; k@b 1x1 on=n1 fixed; l@a 1x1", "j 1; k 1; l 0", 0},
        {"of two the preemptible one", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 fixed; k@b 1x1 on=n1; l@a 1x1", "j 1; k 0; l 1", 1},
        {"from the queue that has most", "n1 4", "a q=1; b; c", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@b 1x1 on=n1; m@c 1x1 on=n1; n@a 1x1", "m 1; n 1", 1},
        {"as many as needed", "n1 4", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@b 1x1 on=n1; m@b 1x1 on=n1; n@a 1x2", "n 1", 2},
        {"a gang takes for all its members", "n1 2; n2 2", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@b 1x1 on=n2; m@b 1x1 on=n2; n@a 2x1", "n 2", 2},
        {"a gang whose fair share is too small takes nothing", "n1 4", "a q=2; b q=2", "j@b 4x1 on=n1,n1,n1,n1 min=1; n@a 3x1", "j 4; n 0", 0},
        {"a gang goes as a whole", "n1 4", "a q=2; b q=2", "j@b 4x1 on=n1,n1,n1,n1; n@a 1x2", "j 0; n 1", 4},
        {"surplus first", "n1 4", "a q=1; b q=1", "j@b 3x1 min=1 on=n1,n1,n1; k@b 1x1 on=n1; n@a 1x1", "j 2; k 1; n 1", 1},
        {"only the surplus goes", "n1 4", "a q=2; b q=2", "j@b 4x1 min=2 on=n1,n1,n1,n1; n@a 2x1", "j 2; n 2", 2},
        {"idle room and one victim", "n1 2", "a q=2; b", "j@b 1x1 on=n1; n@a 1x2", "j 0; n 1", 1},
        {"idle room is used first", "n1 2; n2 1", "a q=1; b q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; n@a 1x1", "j 1; k 1; n 1 n2", 0},
        {"the smallest victims that make room on one node", "n1 2; n2 2", "a q=2; b", "j@b 1x1 on=n1 start=300; k@b 1x2 on=n2 start=100; l@a 1x2", "l 1", 1},
        {"department takes from department", "n1 2", "d q=1; e q=1; a parent=d q=1; b parent=e q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"a department within quota is left alone", "n1 2", "d; e q=2; a parent=d; b parent=e", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"within the department, queue from queue", "n1 2", "d q=2; a parent=d q=1; b parent=d q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"three levels up", "n1 2", "x; y; d parent=x q=1; e parent=y q=1; a parent=d q=1; b parent=e q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"fixed reclaimer within quota", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1 fixed", "l 1", 1},
        {"fixed reclaimer beyond quota", "n1 2", "a q=0; b q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1 fixed", "j 1; k 1; l 0", 0},
        {"higher queue priority gets the surplus", "n1 2", "a p=200; b p=100", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1; m@a 1x1", "l 1; m 1", 2},
        {"lower queue priority takes nothing of it", "n1 2", "a p=100; b p=200", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"weights decide who gives", "n1 4", "a w=3; b w=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1 on=n1; m@a 1x1 on=n1; n@a 1x1", "l 1; m 1; n 1", 1},
        {"largest remainder is nobody's to take twice", "n1 3", "a; b", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1 on=n1; m@a 1x1", "l 1", -1},
        {"limit of the reclaimer", "n1 2", "a q=1 l=0; b", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"limit of the department frees with the victim", "n1 4", "d l=2; a parent=d q=1; b parent=d q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"cpu alone is taken back", "n1 0 cpu=1000", "a cq=500; b cq=500", "j@b 1x0 cpu=500 on=n1; k@b 1x0 cpu=500 on=n1; l@a 1x0 cpu=500", "l 1", 1},
        {"half a device", "n1 1", "a q=0.5; b q=0.5", "j@b 1x0.5 on=n1; k@b 1x0.5 on=n1; l@a 1x0.5", "l 1", 1},
        {"a whole device from two halves", "n1 2", "a q=1; b q=1", "j@b 1x0.5 on=n1; k@b 1x0.5 on=n1; m@b 1x1 on=n1 pri=60; l@a 1x1", "m 1; l 1", 2},
        {"young ones are safe from reclaim for a while", "n1 1", "a q=1; b rmin=200", "j@b 1x1 on=n1 start=900; l@a 1x1", "j 1; l 0", 0},
        {"old ones are not", "n1 1", "a q=1; b rmin=50", "j@b 1x1 on=n1 start=900; l@a 1x1", "j 0; l 1", 1},
        {"run time of the department counts", "n1 1", "d; e rmin=200; a parent=d q=1; b parent=e", "j@b 1x1 on=n1 start=900; l@a 1x1", "j 1; l 0", 0},
        {"surplus is not safe", "n1 2", "a q=1; b rmin=200", "j@b 2x1 min=1 on=n1,n1 start=900; l@a 1x1", "j 1; l 1", 1},
        {"a gang in a rack takes the rack", "n1 1 rack=r1; n2 1 rack=r1; n3 1 rack=r2; n4 1 rack=r2", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n2; l@b 1x1 on=n3; m@b 1x1 on=n4; n@a 2x1 need=rack", "n 2", 2},
        {"no rack could ever hold it", "n1 1 rack=r1; n2 1 rack=r2", "a q=2; b", "j@b 1x1 on=n1; k@b 1x1 on=n2; n@a 2x1 need=rack", "j 1; k 1; n 0", 0},
        {"victims elsewhere do not help", "n1 1 rack=r1; n2 1 rack=r2", "a q=1; b q=1", "j@b 1x1 on=n1; k@a 1x0 on=n2; m@b 1x1 fixed on=n2; n@a 1x1 at=rack:r2", "j 1; m 1; n 0", 0},
        {"plain pods are never victims", "n1 2", "a q=1; b", "j@ 1x1 on=n1; k@ 1x1 on=n1; l@a 1x1", "j 1; k 1; l 0", 0},
        {"growth takes no more than its share", "n1 4", "a; b", "j@b 4x1 min=1 on=n1,n1,n1,n1; n@a 4x1 min=1", "5! j 2; n 2", 2},
        {"two who ask, one victim each", "n1 2", "a; b; c", "j@c 1x1 on=n1; k@c 1x1 on=n1; l@a 1x1; m@b 1x1", "l 1", -1},
        {"everybody gets a third", "n1 3", "a; b; c", "j@c 1x1 on=n1; k@c 1x1 on=n1; x@c 1x1 on=n1; l@a 1x1; m@b 1x1", "l 1; m 1", 2},
    };
    run_table(cases, ARRAY_LEN(cases));
}

TEST(preempt)
{
    static const struct batch_case cases[] = {
        {"the more important one takes the place", "n1 1", "a", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=20", "j 0; k 1", 1},
        {"equal priority takes nothing", "n1 1", "a", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=10", "j 1; k 0", 0},
        {"lower priority takes nothing", "n1 1", "a", "j@a 1x1 pri=20 on=n1; k@a 1x1 pri=10", "j 1; k 0", 0},
        {"not from another queue that is within its share", "n1 2", "a; b", "j@b 1x1 pri=10 on=n1; l@a 1x1 pri=50 on=n1; k@a 1x1 pri=50", "j 1; l 1; k 0", 0},
        {"a fixed one evicts a preemptible one", "n1 1", "a q=1", "j@a 1x1 on=n1; k@a 1x1 pri=100", "j 0; k 1", 1},
        {"a fixed one is no victim", "n1 1", "a q=2", "j@a 1x1 pri=100 on=n1; k@a 1x1 pri=120", "j 1; k 0", 0},
        {"a fixed one beyond quota evicts nobody", "n1 1", "a q=0", "j@a 1x1 on=n1; k@a 1x1 pri=100", "j 1; k 0", 0},
        {"the least important goes", "n1 2", "a", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=20 on=n1; l@a 1x1 pri=30", "j 0; k 1; l 1", 1},
        {"of equals the last to start", "n1 2", "a", "j@a 1x1 pri=10 on=n1 start=200; k@a 1x1 pri=10 on=n1 start=100; l@a 1x1 pri=30", "j 0; k 1; l 1", 1},
        {"as few as possible", "n1 4", "a", "l@a 1x2 pri=10 on=n1; j@a 1x1 pri=10 on=n1; k@a 1x1 pri=10 on=n1; m@a 1x1 pri=30", "m 1; l 1; j 1; k 0", 1},
        {"a gang takes several", "n1 2; n2 2", "a", "j@a 1x2 pri=10 on=n1; k@a 1x2 pri=10 on=n2; l@a 4x1 pri=30", "j 0; k 0; l 4", 2},
        {"a gang that cannot be helped evicts nobody", "n1 2; n2 2", "a", "j@a 1x2 pri=10 on=n1; k@a 1x2 pri=40 on=n2; l@a 4x1 pri=30", "j 1; k 1; l 0", 0},
        {"a gang is a victim as a whole", "n1 2", "a", "j@a 2x1 pri=10 on=n1,n1; k@a 1x1 pri=30", "j 0; k 1", 2},
        {"surplus is enough", "n1 2", "a", "j@a 2x1 min=1 pri=10 on=n1,n1; k@a 1x1 pri=30", "j 1; k 1", 1},
        {"no node is large enough", "n1 2; n2 2", "a", "j@a 1x2 pri=10 on=n1; k@a 1x2 pri=10 on=n2; l@a 1x4 pri=30", "j 1; k 1; l 0", 0},
        {"limit of the queue: the more important one swaps", "n1 4", "a l=1", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=30", "j 0; k 1", 1},
        {"young ones are safe for a while", "n1 1", "a pmin=200", "j@a 1x1 pri=10 on=n1 start=900; k@a 1x1 pri=30", "j 1; k 0", 0},
        {"old ones are not", "n1 1", "a pmin=50", "j@a 1x1 pri=10 on=n1 start=900; k@a 1x1 pri=30", "j 0; k 1", 1},
        {"halves", "n1 1", "a", "j@a 1x0.5 pri=10 on=n1; k@a 1x0.5 pri=20 on=n1; l@a 1x0.5 pri=30", "j 0; k 1; l 1", 1},
        {"a whole one in place of a half", "n1 1", "a", "j@a 1x0.5 pri=10 on=n1; l@a 1x1 pri=30", "j 0; l 1", 1},
        {"cpu", "n1 0 cpu=1000", "a", "j@a 1x0 cpu=800 pri=10 on=n1; l@a 1x0 cpu=800 pri=30", "j 0; l 1", 1},
        {"in its rack", "n1 1 rack=r1; n2 1 rack=r2", "a", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=10 on=n2; l@a 1x1 pri=30 at=rack:r1", "j 0; k 1; l 1", 1},
        {"quota is no matter for preemptible ones", "n1 1", "a q=0", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=20", "j 0; k 1", 1},
    };
    run_table(cases, ARRAY_LEN(cases));
}

TEST(consolidate)
{
    static const struct batch_case cases[] = {
        {"two halves of nodes become a whole one", "n1 2; n2 2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 1x2", "j 1; k 1; l 1", 1},
        {"nobody moves when nothing is gained", "n1 2; n2 2", "a", "j@a 1x1 on=n1; k@a 1x2 on=n2; l@a 1x2", "j 1; k 1; l 0", 0},
        {"fixed ones do not move", "n1 2; n2 2", "a q=4", "j@a 1x1 on=n1 fixed; k@a 1x1 on=n2 fixed; l@a 1x2", "j 1; k 1; l 0", 0},
        {"a fixed one has nobody moved", "n1 2; n2 2", "a q=4", "j@a 1x1 on=n1 pri=100 soft; k@a 1x1 on=n2 pri=100 soft; l@a 1x2 pri=100", "j 1; k 1; l 0", 0},
        {"across queues", "n1 2; n2 2", "a; b", "j@b 1x1 on=n1; k@b 1x1 on=n2; l@a 1x2", "j 1; k 1; l 1", 1},
        {"halves of devices", "n1 1; n2 1", "a", "j@a 1x0.5 on=n1; k@a 1x0.5 on=n2; l@a 1x1", "j 1; k 1; l 1", 1},
        {"a gang moves as a whole", "n1 2; n2 2; n3 2", "a", "j@a 2x1 on=n1,n2; k@a 1x1 on=n3; l@a 1x2", "j 2; k 1; l 1", -1},
        {"for a gang", "n1 2; n2 2; n3 2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 2x2", "j 1; k 1; l 2", 1},
        {"cpu", "n1 0 cpu=1000; n2 0 cpu=1000", "a", "j@a 1x0 cpu=400 on=n1; k@a 1x0 cpu=400 on=n2; l@a 1x0 cpu=1000", "j 1; k 1; l 1", 1},
        {"a rack is emptied", "n1 2 rack=r1; n2 2 rack=r2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 2x1 need=rack", "j 1; k 1; l 2", 1},
        {"who belongs there stays", "n1 2 rack=r1; n2 2 rack=r2", "a", "j@a 1x1 on=n1 at=rack:r1; k@a 1x1 on=n2 at=rack:r2; l@a 1x2", "j 1; k 1; l 0", 0},
        {"beyond the limit nobody moves", "n1 2; n2 2", "a l=3", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 1x2", "j 1; k 1; l 0", 0},
    };
    run_table(cases, ARRAY_LEN(cases));
}

TEST_MAIN(allocate, reclaim, preempt, consolidate)
