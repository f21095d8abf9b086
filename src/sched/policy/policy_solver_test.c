/* policy_solver_test.c - tables for the search of victims: the right nodes, few of them, moves instead of losses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"

#define FOUR "n1 2; n2 2; n3 2; n4 2"
#define SCATTERED                                                                                                                                                                                 \
    "e1@b 1x1 on=n1 start=100; e2@b 1x1 on=n2 start=100; e3@b 1x1 on=n3 start=100; e4@b 1x1 on=n4 start=100; l1@b 1x1 on=n1 start=200; l2@b 1x1 on=n2 start=200; l3@b 1x1 on=n3 start=200; "      \
    "l4@b 1x1 on=n4 start=200;"

TEST(right_nodes)
{
    static const struct batch_case cases[] = {
        {"the order would free half of each node", FOUR, "a q=4; b q=4", SCATTERED "w@a 2x2", "w 2", 4},
        {"one pod of two devices", FOUR, "a q=4; b q=4", SCATTERED "w@a 1x2", "w 1", 2},
        {"two, one after the other", FOUR, "a q=4; b q=4", SCATTERED "w@a 1x2; v@a 1x2", "w 1; v 1", 4},
        {"three would be beyond the share", FOUR, "a q=4; b q=4", SCATTERED "w@a 3x2", "w 0; e1 1; l1 1", 0},
        {"a rack of two nodes", "n1 2 rack=r1; n2 2 rack=r1; n3 2 rack=r2; n4 2 rack=r2", "a q=4; b q=4", SCATTERED "w@a 2x2 need=rack", "w 2", 4},
        {"in a rack, single devices", "n1 2 rack=r1; n2 2 rack=r1; n3 2 rack=r2; n4 2 rack=r2", "a q=4; b q=4", SCATTERED "w@a 4x1 need=rack", "w 4", 4},
        {"the rack that costs less", "n1 2 rack=r1; n2 2 rack=r1; n3 2 rack=r2; n4 2 rack=r2", "a q=4; b q=4",
         "e1@b 1x1 on=n1; e2@b 1x1 on=n1; e3@b 1x1 on=n2; e4@b 1x1 on=n2; l1@b 1x1 on=n3; l2@b 1x1 on=n3; w@a 2x2 need=rack", "e1 1; e2 1; e3 1; e4 1; l1 0; l2 0; w 2", 2},
        {"a sub-group's rack", "n1 2 rack=r1; n2 2 rack=r1; n3 2 rack=r2; n4 2 rack=r2", "a q=4; b q=4", SCATTERED "w@a 2x2 min=2 sub=w:2:rack", "w 2", 4},
        {"the node of the less important", "n1 2; n2 2", "a q=2; b q=2", "j@b 1x1 on=n1 pri=20 start=100; k@b 1x1 on=n2 pri=10 start=200; x@b 1x1 on=n1 pri=20 start=300; y@b 1x1 on=n2 pri=10 start=400; w@a 1x2",
         "j 1; x 1; k 0; y 0; w 1", 2},
        {"those who may go on the right node, whoever started last", "n1 2; n2 2", "a q=2; b q=1; c q=1", "j@b 1x1 on=n1 start=100; k@b 1x1 on=n2 start=400; x@c 1x1 on=n1 start=100; y@c 1x1 on=n2 start=400; w@a 1x2",
         "w 1", 2},
        {"not a gang that reaches beyond, if single ones will do", "n1 2; n2 2; n3 2", "a q=2; b q=4", "g@b 2x1 on=n1,n2 start=500; j@b 1x1 on=n1 start=500; k@b 1x1 on=n2 start=500; x@b 1x1 on=n3 start=100; y@b 1x1 on=n3 start=90; w@a 1x2",
         "g 2; j 1; k 1; x 0; y 0; w 1", 2},
        {"fixed ones are in the way on one node", "n1 2; n2 2", "a q=2; b q=2", "j@b 1x1 fixed on=n1; k@b 1x1 on=n1 start=500; x@b 1x1 on=n2 start=100; y@b 1x1 on=n2 start=100; w@a 1x2", "j 1; k 1; x 0; y 0; w 1", 2},
        {"half devices on the right one", "n1 1; n2 1", "a q=1; b q=1", "j@b 1x0.5 on=n1 start=100; k@b 1x0.5 on=n2 start=200; x@b 1x0.5 on=n1 start=300; y@b 1x0.5 on=n2 start=400; w@a 1x1", "w 1", 2},
        {"parts of a device for half of one", "n1 1; n2 1", "a q=0.5; b q=1.5", "j@b 1x0.25 on=n1; k@b 1x0.25 on=n1; x@b 1x0.25 on=n1; y@b 1x0.25 on=n1; z@b 1x1 on=n2 fixed; w@a 1x0.5", "w 1; z 1", 2},
        {"cpu on one node", "n1 0 cpu=1000; n2 0 cpu=1000", "a cq=1000; b cq=1000", "j@b 1x0 cpu=500 on=n1 start=100; k@b 1x0 cpu=500 on=n2 start=200; x@b 1x0 cpu=500 on=n1 start=300; y@b 1x0 cpu=500 on=n2 start=400; w@a 1x0 cpu=1000",
         "w 1", 2},
        {"surplus on the right nodes", FOUR, "a q=4; b q=4", "g@b 8x1 min=4 on=n1,n2,n3,n4,n1,n2,n3,n4; w@a 2x2", "g 4; w 2", 4},
        {"preempt: the right node", "n1 2; n2 2", "a", "j@a 1x1 pri=10 on=n1 start=100; k@a 1x1 pri=10 on=n2 start=400; x@a 1x1 pri=40 on=n1; y@a 1x1 pri=10 on=n2 start=100; w@a 1x2 pri=30", "j 1; x 1; k 0; y 0; w 1", 2},
        {"preempt: gang on the right nodes", "n1 2; n2 2; n3 2", "a", "j@a 1x1 pri=10 on=n1 start=500; x@a 1x1 pri=40 on=n1; k@a 1x1 pri=10 on=n2; y@a 1x1 pri=10 on=n2; z@a 1x2 pri=10 on=n3; w@a 2x2 pri=30", "j 1; x 1; k 0; y 0; z 0; w 2", 3},
        {"three queues, each gives where it must", "n1 2; n2 2; n3 2", "a q=2; b q=1; c q=1", "j@b 1x1 on=n1 start=500; k@c 1x1 on=n1 start=100; x@b 1x1 on=n2 start=100; y@c 1x1 on=n2 start=500; u@b 1x1 on=n3 start=300; v@c 1x1 on=n3 start=300; w@a 1x2",
         "w 1", 2},
        {"two departments, the other one's nodes", "n1 2; n2 2", "d q=2; e q=2; a parent=d q=2; b parent=e q=1; c parent=e q=1", "j@b 1x1 on=n1 start=1; k@b 1x1 on=n2 start=9; x@c 1x1 on=n1 start=1; y@c 1x1 on=n2 start=9; w@a 1x2", "w 1", 2},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* Who finds another place in the same solution is moved, and is not counted as a loss of its queue. */
TEST(moves_beside_losses)
{
    static const struct batch_case cases[] = {
        {"an innocent one moves, a guilty one goes", "n1 2; n2 2", "a q=2; b q=1; c q=1", "j@b 1x1 on=n1; k@c 1x1 on=n1; x@b 1x1 on=n2; w@a 1x2", "k 1; w 1", -1},
        {"the free hole takes who has to move", "n1 2; n2 2; n3 1", "a q=2; b; c q=3", "j@b 1x1 on=n1; k@c 1x1 on=n1; x@c 1x2 fixed on=n2; w@a 1x2", "j 0; k 1; x 1; w 1", 2},
        {"moved to a smaller node", "n1 4; n2 1", "a q=4; b q=1", "j@b 1x1 on=n1; w@a 1x4", "j 1 n2; w 1 n1", 1},
        {"a fixed one has others moved out of its quota's way", "n1 2; n2 1", "a q=2; b q=1", "j@b 1x1 on=n1; k@b 1x0 on=n2 fixed cpu=100; w@a 1x2 fixed", "w 1", 1},
        {"who is not to be moved stays", "n1 2; n2 1", "a q=2; b q=1 pmin=500 rmin=500", "j@b 1x1 on=n1; w@a 1x2", "j 1; w 0", 0},
        {"no hole, nobody moves", "n1 2; n2 1", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n2; w@a 1x2", "j 1; k 1; w 0", 0},
        {"others go from where it moves to", "n1 2; n2 2", "a q=2; b; c q=2", "j@b 1x1 on=n1; k@c 1x1 on=n1; x@b 1x1 on=n2; y@c 1x1 on=n2; w@a 1x2", "j 0; x 0; k 1; y 1; w 1", 3},
        {"no more of them than it takes", "n1 4; n2 4", "a q=4; b; c q=2", "j@b 1x1 on=n1; l@b 1x1 on=n1; m@b 1x1 on=n1; k@c 1x1 on=n1; x@b 1x1 on=n2; y@b 1x1 on=n2; z@b 1x1 on=n2; v@c 1x1 on=n2; w@a 1x4", "k 1; v 1; w 1", 5},
        {"not from those who are owed theirs", "n1 2; n2 2", "a q=2; b q=1; c q=2", "j@b 1x1 on=n1; k@c 1x1 on=n1; x@b 1x1 on=n2 fixed; y@c 1x1 on=n2; w@a 1x2", "j 1; x 1; k 1; y 1; w 0", 0},
        {"pods that fill their nodes are the last to be moved", "n1 4; n2 4; n3 4; n4 4; n5 4; n6 4; n7 4", "a q=4; b q=24",
         "j@b 1x4 on=n1; k@b 1x4 on=n2; x@b 1x4 on=n3; y@b 1x4 on=n4; z@b 1x4 on=n5; u@b 1x1 on=n6; v@b 1x1 on=n6; t@b 1x1 on=n7; s@b 1x1 on=n7; w@a 1x4", "j 1; k 1; x 1; y 1; z 1; u 1; v 1; t 1; s 1; w 1", 2},
        {"preempt moves what is not less important", "n1 2; n2 1; n3 1", "a", "j@a 1x1 pri=40 on=n1; k@a 1x1 pri=10 on=n1; x@a 1x1 pri=10 on=n2 fixed; w@a 1x2 pri=30; y@a 1x1 pri=60 on=n3", "y 1; x 1", -1},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* So many of the sub-groups must be; the others come and go as a whole. */
TEST(some_of_the_sub_groups)
{
    static const struct batch_case cases[] = {
        {"two of three are enough", "n1 4", "a", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2", "j 4", 0},
        {"all of them when there is room", "n1 6", "a", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2", "j 6", 0},
        {"room for one and a half", "n1 3", "a", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2", "j 0", 0},
        {"room for two and a half", "n1 5", "a", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2", "j 4", 0},
        {"without the word all must be", "n1 4", "a", "j@a 6x1 min=0 sub=u:2 sub=v:2 sub=w:2", "j 0", 0},
        {"a sub-group without its members is no matter", "n1 4", "a", "j@a 3x1 min=0 subs=1 sub=u:4/1 sub=v:2", "j 2", 0},
        {"too few complete ones", "n1 4", "a", "j@a 3x1 min=0 subs=2 sub=u:4/1 sub=v:2", "j 0", 0},
        {"a member more of one that runs", "n1 5", "a", "j@a 5x1 min=0 subs=1 sub=u:2/3 sub=v:3/2", "j 3", 0},
        {"members that need not be", "n1 3", "a", "j@a 5x1 min=0 subs=1 sub=u:2 sub=v:0/3", "j 3", 0},
        {"all of it elastic", "n1 2", "a", "j@a 4x1 min=0 sub=u:0/2 sub=v:0/2", "j 2", 0},
        {"a limit lets the minimum in", "n1 8", "a l=4", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2", "j 4", 0},
        {"each in a rack of its own, one finds none", "n1 2 rack=r1; n2 2 rack=r2; n3 1 rack=r3", "a", "j@a 6x1 min=0 subs=2 sub=u:2:rack sub=v:2:rack sub=w:2:rack", "j 4", 0},
        {"those that fit are chosen", "n1 3", "a", "j@a 6x1 min=0 subs=1 sub=u:4 sub=v:2", "j 2", 0},
        {"sub-groups of sub-groups", "n1 3", "a", "j@a 4x1 min=0 subs=1 sub=x:0/0 sub=y:0/0 sub=u:1::x sub=v:1::x sub=w:1::y sub=z:1::y", "j 2", 0},
        {"both of them with more room", "n1 4", "a", "j@a 4x1 min=0 subs=1 sub=x:0/0 sub=y:0/0 sub=u:1::x sub=v:1::x sub=w:1::y sub=z:1::y", "j 4", 0},
        {"the one too many gives way as a whole", "n1 6", "a q=2; b q=4", "j@b 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 on=n1,n1,n1,n1,n1,n1; k@a 1x1", "j 4; k 1", 2},
        {"single members before a whole sub-group", "n1 7", "a q=1; b q=4", "j@b 7x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2/3 on=n1,n1,n1,n1,n1,n1,n1; k@a 1x1", "j 6; k 1", 1},
        {"the minimum goes with all of it", "n1 4", "a q=1; b q=1", "j@b 4x1 min=0 subs=2 sub=u:2 sub=v:2 on=n1,n1,n1,n1; k@a 1x1", "j 0; k 1", 4},
        {"young, but the one too many may go", "n1 6", "a q=2; b q=4 rmin=900", "j@b 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 on=n1,n1,n1,n1,n1,n1; k@a 1x1", "j 4; k 1", 2},
        {"a spare sub-group of the right node", "n1 2; n2 2; n3 2", "a q=2; b q=4", "j@b 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 on=n1,n1,n2,n2,n3,n3; k@a 1x2", "j 4; k 1", 2},
        {"one of them lost a member, the rest is well", "n1 6", "a", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 on=n1,n1,n1,n1,n1", "j 6", 0},
        {"consolidation moves the one too many", "n1 2; n2 2; n3 2", "a", "j@a 3x1 min=0 subs=1 sub=u:1 sub=v:1 sub=w:1 on=n1,n2,n3; k@a 1x2", "j 3; k 1", -1},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* The minimum of a group is as good as non-preemptible, what is beyond it is anybody's. */
TEST(semi_preemptible)
{
    static const struct batch_case cases[] = {
        {"the minimum within the quota, the rest beyond it", "n1 4", "a q=2", "j@a 4x1 min=2 semi", "j 4", 0},
        {"no minimum beyond the quota", "n1 4", "a q=1", "j@a 4x1 min=2 semi", "j 0", 0},
        {"the minimum counts against the quota", "n1 8", "a q=3", "j@a 4x1 min=2 semi; k@a 2x1 fixed; l@a 1x1 fixed", "j 4; k 0; l 1", 0},
        {"the rest does not", "n1 8", "a q=4", "j@a 4x1 min=2 semi; k@a 2x1 fixed", "j 4; k 2", 0},
        {"two of them share a quota", "n1 8", "a q=4", "j@a 3x1 min=2 semi; k@a 3x1 min=2 semi; l@a 3x1 min=2 semi", "j 3; k 3; l 0", 0},
        {"quota of the department", "n1 8", "d q=2; a parent=d q=4; b parent=d q=4", "j@a 3x1 min=2 semi; k@b 3x1 min=2 semi", "j 3; k 0", 0},
        {"the rest is taken back", "n1 4", "a q=2; b q=2", "j@b 4x1 min=2 semi on=n1,n1,n1,n1; k@a 2x1", "j 2; k 2", 2},
        {"the minimum is not", "n1 4", "a q=3; b q=2", "j@b 4x1 min=2 semi on=n1,n1,n1,n1; k@a 3x1", "j 4; k 0", 0},
        {"not even when others are owed all", "n1 2", "a q=2; b", "j@b 2x1 min=2 semi on=n1,n1; k@a 1x1", "j 2; k 0", 0},
        {"others go first as a whole", "n1 4", "a q=2; b q=2", "j@b 2x1 min=2 semi on=n1,n1; l@b 2x1 min=2 on=n1,n1; k@a 1x1", "j 2; l 0; k 1", 2},
        {"preempted down to the minimum", "n1 4", "a q=2", "j@a 4x1 min=2 semi pri=10 on=n1,n1,n1,n1; k@a 2x1 pri=30", "j 2; k 2", 2},
        {"and no further", "n1 4", "a q=2", "j@a 4x1 min=2 semi pri=10 on=n1,n1,n1,n1; k@a 3x1 pri=30", "j 4; k 0", 0},
        {"its minimum reclaims as a fixed one would", "n1 4", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@b 1x1 on=n1; m@b 1x1 on=n1; n@a 3x1 min=2 semi", "n 2", 2},
        {"but not beyond the quota", "n1 4", "a q=1; b q=1", "j@b 4x1 min=1 on=n1,n1,n1,n1; n@a 2x1 min=2 semi", "j 4; n 0", 0},
        {"the rest grows to the fair share", "n1 4", "a q=1; b", "j@b 4x1 min=1 on=n1,n1,n1,n1; n@a 3x1 min=1 semi", "5! j 1; n 3", 3},
        {"one that is a pod alone is fixed", "n1 2", "a q=1; b q=1", "j@b 1x1 semi on=n1; k@b 1x1 on=n1; l@a 1x1", "j 1; k 0; l 1", 1},
        {"a pod alone beyond the quota", "n1 2", "a", "j@a 1x1 semi", "j 0", 0},
        {"the minimum does not move", "n1 2; n2 2", "a q=4", "j@a 2x1 min=2 semi on=n1,n2; k@a 1x2", "j 2; k 0", 0},
        {"the rest does", "n1 2; n2 2; n3 2", "a q=4", "j@a 3x1 min=2 semi on=n1,n2,n3; k@a 1x2", "j 3; k 1", 1},
        {"minimums of sub-groups", "n1 6", "a q=3; b q=3", "j@b 6x1 min=3 sub=u:1/3 sub=v:2/3 semi on=n1,n1,n1,n1,n1,n1; k@a 3x1", "j 3; k 3", 3},
        {"some of the sub-groups", "n1 6", "a q=2; b q=4", "j@b 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 semi on=n1,n1,n1,n1,n1,n1; k@a 1x1", "j 4; k 1", 2},
        {"no more than the spare ones", "n1 6", "a q=4; b q=2", "j@b 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 semi on=n1,n1,n1,n1,n1,n1; k@a 3x1", "j 6; k 0", 0},
        {"without a minimum all of it is anybody's", "n1 2", "a q=2; b", "j@b 2x1 min=0 semi on=n1,n1; k@a 2x1", "j 0; k 2", 2},
        {"parts of devices", "n1 1", "a q=0.5; b q=0.5", "j@b 2x0.5 min=1 semi on=n1,n1; k@a 1x0.5", "j 1; k 1", 1},
        {"young, but the rest goes", "n1 2", "a q=1; b q=1 rmin=900", "j@b 2x1 min=1 semi on=n1,n1; k@a 1x1", "j 1; k 1", 1},
        {"within the limit", "n1 4", "a q=2 l=3", "j@a 4x1 min=2 semi", "j 3", 0},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* Of equals those go whose going costs least. */
TEST(least_loss)
{
    static const struct batch_case cases[] = {
        {"work that is saved is not lost", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=100 saved=990; k@b 1x1 on=n1 start=900; w@a 1x1", "j 0; k 1; w 1", 1},
        {"an old checkpoint is worth little", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=100 saved=500; k@b 1x1 on=n1 start=900; w@a 1x1", "j 1; k 0; w 1", 1},
        {"one from before its start is worth nothing", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=800 saved=100; k@b 1x1 on=n1 start=900; w@a 1x1", "j 1; k 0; w 1", 1},
        {"a restart that costs much", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=800; k@b 1x1 on=n1 start=900 cost=300; w@a 1x1", "j 0; k 1; w 1", 1},
        {"a restart that costs a little", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=800; k@b 1x1 on=n1 start=900 cost=50; w@a 1x1", "j 1; k 0; w 1", 1},
        {"cost and checkpoint together", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 start=100 saved=980 cost=100; k@b 1x1 on=n1 start=900; w@a 1x1", "j 1; k 0; w 1", 1},
        {"priority goes before cost", "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1 pri=40 cost=9000; k@b 1x1 on=n1; w@a 1x1", "j 0; k 1; w 1", 1},
        {"surplus goes before cost", "n1 3", "a q=1; b q=2", "j@b 2x1 min=1 on=n1,n1 cost=9000; k@b 1x1 on=n1; w@a 1x1", "j 1; k 1; w 1", 1},
        {"gangs, too", "n1 4", "a q=2; b q=2", "j@b 2x1 on=n1,n1 start=500 saved=999; k@b 2x1 on=n1,n1 start=900; w@a 2x1", "j 0; k 2; w 2", 2},
        {"preemption, too", "n1 2", "a", "j@a 1x1 pri=10 on=n1 start=100 saved=990; k@a 1x1 pri=10 on=n1 start=900; w@a 1x1 pri=20", "j 0; k 1; w 1", 1},
        {"node by node, too", "n1 2; n2 2", "a q=2; b q=2", "j@b 1x1 on=n1 start=100 saved=999; k@b 1x1 on=n1 start=100 saved=998; x@b 1x1 on=n2 start=900; y@b 1x1 on=n2 start=901; w@a 1x2", "j 0; k 0; x 1; y 1; w 1", 2},
        {"a checkpoint does not end the minimum run time", "n1 1", "a q=1; b rmin=500", "j@b 1x1 on=n1 start=800 saved=999; w@a 1x1", "j 1; w 0", 0},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* Members of a group have an order among themselves. */
TEST(ranks)
{
    static struct batch_world w;
    str node;
    batch_new(&w, "n1 2", "a; b q=1", "j@a 4x1 min=1 rank=1,4,2,3", NULL);
    for (int i = 0; i < 3; i++)
        batch_turn(&w);
    T_EQ_INT(batch_running(&w, S("j"), &node), 2);
    T_EQ_INT(w.s->pods[sched_pod_find(w.s, S("x"), S("j-1"))].state, PS_BOUND);
    T_EQ_INT(w.s->pods[sched_pod_find(w.s, S("x"), S("j-3"))].state, PS_BOUND);
    batch_lines(&w, "k@b 1x1 created=9", 2); /* the lower one goes */
    for (int i = 0; i < 3; i++)
        batch_turn(&w);
    T_EQ_INT(w.s->pods[sched_pod_find(w.s, S("x"), S("j-1"))].state, PS_BOUND);
    batch_expect(&w, "j 1; k 1", "ranks");
    batch_free(&w);
}

/* Who asked to wait before others go for it does so, and takes what is free meanwhile. */
TEST(delays)
{
    static struct batch_world w;
    struct policy_why y;
    batch_new(&w, "n1 1", "a q=1; b", "j@b 1x1 on=n1; k@a 1x1 delay=30", NULL);
    batch_find(&w, S("k"))->created = 990 * NSEC_PER_SEC;
    batch_put(&w, batch_find(&w, S("k")));
    sched_pod_delete(w.s, S("x"), S("k"));
    batch_put(&w, batch_find(&w, S("k")));
    batch_turn(&w);
    batch_expect(&w, "j 1; k 0", "it waits");
    policy_why(w.p, sched_unit_of(w.s, sched_pod_find(w.s, S("x"), S("k"))), &y);
    T_EQ_INT(y.tried[POLICY_RECLAIM], TRIED_DELAYED);
    T_EQ_INT(y.delayed_ns, 1020 * NSEC_PER_SEC);
    T_EQ_INT(w.d.again_ns, 1020 * NSEC_PER_SEC);
    batch_lines(&w, "l@a 1x1 created=99; m@b 1x1 created=98", 2); /* l did not ask to wait, but k is before it */
    batch_turn(&w);
    batch_turn(&w);
    T_EQ_INT(w.evictions, 1);
    batch_expect(&w, "j 0; k 0; l 1", "others do not wait with it");
    batch_free(&w);
    batch_new(&w, "n1 1", "a q=1; b", "j@b 1x1 on=n1; k@a 1x1 delay=5 created=2", NULL);
    batch_turn(&w);
    batch_turn(&w);
    batch_expect(&w, "j 0; k 1", "long ago");
    batch_free(&w);
}

TEST_MAIN(right_nodes, moves_beside_losses, some_of_the_sub_groups, semi_preemptible, least_loss, ranks, delays)
