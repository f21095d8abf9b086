/* policy_cases_test.c - more tables: departments, elastic work, topology, parts of devices, other resources, moving, gangs that lose members. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"

TEST(departments)
{
    static const struct batch_case cases[] = {
        {"quota of a department goes before that of its queues", "n1 4", "d q=1; e q=3; a parent=d q=4; b parent=e", "j@a 1x1; k@a 1x1; l@b 1x1; m@b 1x1; n@b 1x1", "j 1; k 0; l 1; m 1; n 1", 0},
        {"an empty department lends all it has", "n1 4", "d q=4; e; a parent=d; b parent=e", "j@b 4x1", "j 4", 0},
        {"and has it back", "n1 4", "d q=4; e; a parent=d q=4; b parent=e", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@b 1x1 on=n1; m@b 1x1 on=n1; n@a 4x1", "n 4; j 0; k 0; l 0; m 0", 4},
        {"one queue of a department borrows from the other", "n1 4", "d q=4; a parent=d q=2; b parent=d q=2", "j@a 4x1 min=1", "j 4", 0},
        {"and gives back what is owed", "n1 4", "d q=4; a parent=d q=2; b parent=d q=2", "j@a 4x1 min=1 on=n1,n1,n1,n1; k@b 2x1", "j 2; k 2", 2},
        {"limit of a department over two queues", "n1 8", "d l=3; a parent=d; b parent=d", "j@a 2x1; k@b 2x1", "j 2; k 0", 0},
        {"limit of the whole tree", "n1 8", "x l=2; d parent=x; e parent=x; a parent=d; b parent=e", "j@a 1x1; k@b 1x1; l@a 1x1; m@b 1x1", "j 1; k 1; l 0; m 0", 0},
        {"weights of departments", "n1 8", "d w=3; e w=1; a parent=d; b parent=e", "j@a 8x1 min=1; k@b 8x1 min=1", "j 6; k 2", 0},
        {"weights below a department", "n1 8", "d; a parent=d w=3; b parent=d w=1", "j@a 8x1 min=1; k@b 8x1 min=1", "j 6; k 2", 0},
        {"priority of a department", "n1 4", "d p=200; e p=100; a parent=d; b parent=e", "j@a 4x1 min=1; k@b 4x1 min=1", "j 4; k 0", 0},
        {"a third department is not asked", "n1 6", "d q=2; e q=2; f q=2; a parent=d q=2; b parent=e; c parent=f", "j@b 4x1 min=1 on=n1,n1,n1,n1; k@c 2x1 on=n1,n1; l@a 2x1", "j 2; k 2; l 2", 2},
        {"the fuller queue of the other department gives", "n1 6", "d q=2; e q=4; a parent=d q=2; b parent=e q=2; c parent=e q=2", "j@b 4x1 min=1 on=n1,n1,n1,n1; k@c 2x1 min=1 on=n1,n1; l@a 2x1", "j 2; k 2; l 2", 2},
        {"deep against shallow", "n1 2", "x q=1; d parent=x q=1; a parent=d q=1; b q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", "l 1", 1},
        {"fixed work keeps a department above its share", "n1 4", "d q=2; e q=4; a parent=d q=2; b parent=e q=4", "j@b 4x1 fixed on=n1,n1,n1,n1; k@a 1x1", "j 4; k 0", 0},
        {"a queue without weight has its quota and no more", "n1 4", "a q=1 w=0; b q=1", "j@a 4x1 min=1 on=n1,n1,n1,n1; k@b 3x1 min=1", "5! j 1; k 3", 3},
        {"who is above all others still gets what is idle", "n1 4", "d q=1 w=0; a parent=d", "j@a 4x1 min=1", "j 4", 0},
        {"run times of a department are inherited", "n1 1", "d pmin=500; a parent=d", "j@a 1x1 pri=10 on=n1 start=900; k@a 1x1 pri=20", "j 1; k 0", 0},
        {"a queue's own goes before", "n1 1", "d pmin=500; a parent=d pmin=0", "j@a 1x1 pri=10 on=n1 start=900; k@a 1x1 pri=20", "j 0; k 1", 1},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

TEST(elastic)
{
    static const struct batch_case cases[] = {
        {"the older one has more of what is over", "n1 6", "a", "j@a 6x1 min=1; k@a 6x1 min=1", "j 4; k 2", 0},
        {"the minimum alone in a full cluster", "n1 2", "a", "j@a 4x1 min=2", "j 2", 0},
        {"below the minimum nothing", "n1 1", "a", "j@a 4x1 min=2", "j 0", 0},
        {"no minimum at all", "n1 3", "a", "j@a 5x1 min=0", "j 3", 0},
        {"sub-groups of which none must be, each as a whole", "n1 3", "a", "j@a 4x1 min=0 subs=-1 sub=u:2 sub=v:2", "j 2", 0},
        {"sub-groups of which none must be, nor all of their pods", "n1 3", "a", "j@a 4x1 min=0 subs=-1 sub=u:1/2 sub=v:1/2", "j 3", 0},
        {"no room for any of the sub-groups that need not be", "n1 1", "a", "j@a 4x1 min=0 subs=-1 sub=u:2 sub=v:2", "j 0", 0},
        {"sub-groups that need not be give way first", "n1 4", "a q=2; b q=2", "j@b 4x1 min=0 subs=-1 sub=u:2 sub=v:2 on=n1,n1,n1,n1; k@a 2x1", "j 2; k 2", 2},
        {"a group waits before it shrinks others", "n1 2", "a", "j@a 2x1 min=1 pri=10 on=n1,n1; k@a 1x1 min=1 pri=20 wait=2000", "j 2; k 0", 0},
        {"and takes free room at once", "n1 2", "a", "j@a 1x1 pri=10 on=n1; k@a 1x1 min=1 pri=20 wait=2000", "j 1; k 1", 0},
        {"its wait is over", "n1 2", "a", "j@a 2x1 min=1 pri=10 on=n1,n1; k@a 1x1 min=1 pri=20 wait=500", "j 1; k 1", 1},
        {"growth waits behind a gang", "n1 5", "a", "j@a 4x1 min=2; k@a 3x1", "j 2; k 3", 0},
        {"growth of a more important one does not", "n1 5", "a", "j@a 4x1 min=2 pri=60; k@a 3x1 pri=50", "j 4; k 0", 0},
        {"shrinks for a gang that is more important", "n1 4", "a", "j@a 4x1 min=2 pri=10 on=n1,n1,n1,n1; k@a 2x1 pri=20", "j 2; k 2", 2},
        {"shrinks before a unit of the same priority goes", "n1 4", "a q=1; b q=2", "j@b 1x1 on=n1 start=950; k@b 3x1 min=1 on=n1,n1,n1 start=100; l@a 1x1", "j 1; k 2; l 1", 1},
        {"a less important unit goes before it shrinks", "n1 4", "a q=1; b q=2", "j@b 1x1 pri=10 on=n1 start=100; k@b 3x1 min=1 pri=20 on=n1,n1,n1; l@a 1x1", "j 0; k 3; l 1", 1},
        {"goes as a whole when its surplus is not enough", "n1 4", "a q=4; b", "j@b 4x1 min=2 on=n1,n1,n1,n1; k@a 1x4", "j 0; k 1", 4},
        {"two shrink, one after the other", "n1 6", "a q=2; b q=2; c q=2", "j@b 3x1 min=1 on=n1,n1,n1; k@c 3x1 min=1 on=n1,n1,n1; l@a 2x1", "j 2; k 2; l 2", 2},
        {"grows into what a gang left", "n1 4", "a", "j@a 4x1 min=1 on=n1; k@a 3x1 on=n1,n1", "j 1; k 3", 0},
        {"in parts of devices", "n1 1", "a", "j@a 6x0.25 min=1", "j 4", 0},
        {"by cpu", "n1 0 cpu=1000", "a", "j@a 6x0 min=1 cpu=300", "j 3", 0},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

#define RACKS "n1 2 rack=r1 zone=z1; n2 2 rack=r1 zone=z1; n3 2 rack=r2 zone=z1; n4 2 rack=r2 zone=z1; n5 4 rack=r3 zone=z2"
TEST(topology)
{
    static const struct batch_case cases[] = {
        {"a rack of two nodes", RACKS, "a", "j@a 2x2 need=rack", "j 2", 0},
        {"a zone of four", RACKS, "a", "j@a 4x2 need=zone", "j 4", 0},
        {"no rack holds four of them", RACKS, "a", "j@a 4x2 need=rack", "j 0", 0},
        {"a node that is large enough", RACKS, "a", "j@a 1x4 min=1 need=rack", "j 1 n5", 0},
        {"preferred, and wider when it must be", RACKS, "a", "j@a 4x2 like=rack", "j 4", 0},
        {"a rack is emptied for it", RACKS, "a", "x@a 1x2 on=n1; y@a 1x2 on=n3; z@a 1x2 on=n5; j@a 2x2 need=rack", "j 2; x 1; y 1; z 1", 1},
        {"a sub-group in a rack, another in another", RACKS, "a", "j@a 4x2 min=4 sub=u:2:rack sub=v:2:rack", "j 4", 0},
        {"sub-groups within the zone of the group", RACKS, "a", "j@a 4x2 min=4 need=zone sub=u:2:rack sub=v:2:rack", "j 4", 0},
        {"a member comes back to its rack", RACKS, "a", "j@a 4x1 min=3 need=rack on=n1,n1,n2", "j 4", 0},
        {"growth never leaves the rack", "n1 2 rack=r1; n2 4 rack=r2", "a", "j@a 6x1 min=2 need=rack on=n1,n1", "j 2", 0},
        {"a rack is taken back", "n1 2 rack=r1; n2 2 rack=r2", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@b 1x1 on=n2; m@b 1x1 on=n2; n@a 2x1 need=rack", "n 2", 2},
        {"the rack where fewer have to go", "n1 2 rack=r1; n2 2 rack=r2", "a q=2; b q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1 start=950; l@b 1x1 on=n2 start=960; n@a 2x1 need=rack", "j 1; k 1; l 0; n 2", 1},
        {"preempted out of one rack", "n1 2 rack=r1; n2 2 rack=r2", "a", "j@a 1x1 pri=10 on=n1; k@a 1x1 pri=40 on=n1; l@a 2x1 pri=10 on=n2,n2; n@a 2x1 pri=30 need=rack", "j 1; k 1; l 0; n 2", 2},
        {"among equal racks the one where the work is younger", "n1 2 rack=r1; n2 2 rack=r2; n3 1 rack=r3", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; n@a 2x1 need=rack", "j 1 n1; k 1; n 2 n2", 1},
        {"or less important", "n1 2 rack=r1; n2 2 rack=r2; n3 1 rack=r3", "a", "j@a 1x1 pri=40 on=n1; k@a 1x1 on=n2; n@a 2x1 need=rack", "j 1; k 1 n2; n 2 n1", 1},
        {"no rack may be emptied", "n1 2 rack=r1; n2 2 rack=r2", "a q=2; b q=2", "j@b 1x1 fixed on=n1; l@b 1x1 fixed on=n2; n@a 2x1 need=rack", "j 1; l 1; n 0", 0},
        {"nodes without the label are in no rack", "n1 4; n2 1 rack=r1", "a", "j@a 2x1 need=rack", "j 0", 0},
        {"a label nobody has", "n1 4", "a", "j@a 2x1 need=row", "j 0", 0},
        {"a rack is emptied by moving", "n1 2 rack=r1; n2 2 rack=r1; n3 2 rack=r2; n4 2 rack=r2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n3; l@a 2x2 need=rack", "j 1; k 1; l 2", 1},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

TEST(parts_of_devices)
{
    static const struct batch_case cases[] = {
        {"four quarters", "n1 1", "a", "j@a 4x0.25", "j 4", 0},
        {"five quarters on one", "n1 1", "a", "j@a 5x0.25", "j 0", 0},
        {"tenths add up exactly", "n1 1", "a", "j@a 10x0.1", "j 10", 0},
        {"two thirds and a third and a bit", "n1 1", "a", "j@a 1x0.66; k@a 1x0.34; l@a 1x0.01", "j 1; k 1; l 0", 0},
        {"parts of two devices each", "n1 2", "a", "j@a 1x0.5 dev=2; k@a 1x0.5 dev=2; l@a 1x0.5", "j 1; k 1; l 0", 0},
        {"parts of more devices than there are", "n1 2", "a", "j@a 1x0.5 dev=3", "j 0", 0},
        {"a part does not start on a device that is whole for another", "n1 1", "a", "j@a 1x1 on=n1; k@a 1x0.1", "j 1; k 0", 0},
        {"memory of devices of two sizes", "n1 1 gmem=8000; n2 1 gmem=16000", "a", "j@a 1x0 mib=12000; k@a 1x0 mib=8000", "j 1 n2; k 1 n1", 0},
        {"quota in parts, borrowed and given back", "n1 1", "a q=0.5; b q=0.5", "j@b 4x0.25 min=1 on=n1,n1,n1,n1; k@a 2x0.25", "j 2; k 2", 2},
        {"a part takes back no more than a part", "n1 2", "a q=0.5; b q=1.5", "j@b 1x0.5 on=n1; k@b 1x0.5 on=n1; l@b 1x1 on=n1 start=100; n@a 1x0.5", "l 1; n 1", 1},
        {"a whole device out of four quarters", "n1 1", "a", "j@a 4x0.25 min=1 pri=10 on=n1,n1,n1,n1; k@a 1x1 pri=20", "j 0; k 1", 4},
        {"quarters move together", "n1 1; n2 1; n3 1", "a", "j@a 1x0.25 on=n1; k@a 1x0.25 on=n2; l@a 1x0.25 on=n3; n@a 2x1", "j 1; k 1; l 1; n 2", 2},
        {"limit of a queue in memory of devices", "n1 4 gmem=10000", "a l=1", "j@a 1x0 mib=5000; k@a 1x0 mib=5000; l@a 1x0 mib=1000", "j 1; k 1; l 0", 0},
        {"fixed memory within the quota", "n1 4 gmem=10000", "a q=1", "j@a 1x0 mib=5000 fixed; k@a 1x0 mib=6000 fixed; l@a 1x0 mib=4000 fixed", "j 1; k 0; l 1", 0},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* Slices of devices and their like are resources by their own names. */
TEST(slices)
{
    static const struct batch_case cases[] = {
        {"as many as there are", "n1 0 ext=7", "a", "j@a 1x0 ext=4; k@a 1x0 ext=3; l@a 1x0 ext=1", "j 1; k 1; l 0", 0},
        {"limit", "n1 0 ext=7", "a xl=4", "j@a 1x0 ext=3; k@a 1x0 ext=2; l@a 1x0 ext=1", "j 1; k 0; l 1", 0},
        {"quota of fixed work", "n1 0 ext=7", "a xq=3", "j@a 1x0 ext=2 fixed; k@a 1x0 ext=2 fixed; l@a 1x0 ext=2", "j 1; k 0; l 1", 0},
        {"taken back", "n1 0 ext=4", "a xq=2; b xq=2", "j@b 1x0 ext=2 on=n1; k@b 1x0 ext=2 on=n1; l@a 1x0 ext=2", "l 1", 1},
        {"only from who has too many of them", "n1 2 ext=4", "a xq=2 q=1; b xq=2 q=0; c q=0", "j@b 1x0 ext=2 on=n1; k@b 1x0 ext=2 on=n1; x@c 1x1 on=n1; y@c 1x1 on=n1; l@a 1x0 ext=2", "x 1; y 1; l 1", 1},
        {"preempted", "n1 0 ext=2", "a", "j@a 1x0 ext=2 pri=10 on=n1; k@a 1x0 ext=1 pri=20", "j 0; k 1", 1},
        {"the right node", "n1 0 ext=2; n2 0 ext=2", "a xq=2; b xq=2", "j@b 1x0 ext=1 on=n1 start=100; k@b 1x0 ext=1 on=n2 start=200; x@b 1x0 ext=1 on=n1 start=300; y@b 1x0 ext=1 on=n2 start=400; l@a 1x0 ext=2", "l 1", 2},
        {"a gang of slices", "n1 0 ext=2; n2 0 ext=2", "a", "j@a 4x0 ext=1; k@a 1x0 ext=1", "j 4; k 0", 0},
        {"of a department, the smaller part first", "n1 0 ext=4", "d xl=2; a parent=d; b parent=d", "j@a 1x0 ext=2; k@b 1x0 ext=1", "j 0; k 1", 0},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

TEST(moving)
{
    static const struct batch_case cases[] = {
        {"three halves into two nodes", "n1 2; n2 2; n3 2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 1x1 on=n3; n@a 1x2", "j 1; k 1; l 1; n 1", 1},
        {"two steps for two", "n1 2; n2 2; n3 2; n4 2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 1x1 on=n3; m@a 1x1 on=n4; n@a 2x2", "j 1; k 1; l 1; m 1; n 2", 2},
        {"no room for the one who would move", "n1 2; n2 2", "a", "j@a 1x1 on=n1; k@a 1x2 on=n2; l@a 1x2", "j 1; k 1; l 0", 0},
        {"nobody moves for one that is larger than all nodes", "n1 2; n2 2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 1x3", "j 1; k 1; l 0", 0},
        {"young ones are not moved", "n1 2; n2 2", "a pmin=500", "j@a 1x1 on=n1; k@a 1x1 on=n2; l@a 1x2", "j 1; k 1; l 0", 0},
        {"of another queue, within its limit", "n1 2; n2 2", "a; b l=2", "j@b 1x1 on=n1; k@b 1x1 on=n2; l@a 1x2", "j 1; k 1; l 1", 1},
        {"who wants its node stays, the other moves", "n1 2 rack=r1; n2 2 rack=r2", "a", "j@a 1x1 on=n1 at=rack:r1; k@a 1x1 on=n2; l@a 1x2", "j 1 n1; k 1 n1; l 1 n2", 1},
        {"an elastic one moves a pod alone", "n1 2; n2 2", "a", "j@a 2x1 min=1 on=n1,n2; l@a 1x2", "j 2; l 1", 1},
        {"nobody is moved into room that another queue is owed", "n1 4; n2 4", "a q=4; b q=4", "j@a 1x2 on=n1; k@a 1x2 on=n2; l@a 1x1 on=n2; m@a 1x3; n@b 1x4", "k 1; l 1; m 0; n 1", 1},
        {"a gang that leaves two nodes spares the third", "n1 4; n2 4; n3 4", "a", "j@a 1x2 on=n1; k@a 2x1 on=n2,n3; l@a 2x4", "j 1 n1; k 2 n1; l 2", 2},
        {"cpu and devices", "n1 1 cpu=1000; n2 1 cpu=1000", "a", "j@a 1x0 cpu=600 on=n1; k@a 1x0 cpu=300 on=n2; l@a 1x1 cpu=900", "j 1; k 1; l 1", 1},
    };
    batch_run_table(cases, ARRAY_LEN(cases));
}

/* A member ends and does not come again; a minute is the grace. */
TEST(stale)
{
    static const struct {
        struct batch_case c;
        const char *lost;
        int wait;
    } cases[] = {
        {{"below its minimum for too long", "n1 4", "a", "j@a 3x1 on=n1,n1,n1", "2! j 0", 2}, "j-2", 61},
        {{"not yet for long enough", "n1 4", "a", "j@a 3x1 on=n1,n1,n1", "2! j 2", 0}, "j-2", 20},
        {{"at its minimum", "n1 4", "a", "j@a 3x1 min=2 on=n1,n1,n1", "2! j 2", 0}, "j-2", 61},
        {{"of one sub-group", "n1 4", "a", "j@a 4x1 min=0 sub=u:2 sub=v:2 on=n1,n1,n1,n1", "2! j 0", 3}, "j-3", 61},
        {{"of a sub-group that need not be", "n1 6", "a", "j@a 6x1 min=0 subs=2 sub=u:2 sub=v:2 sub=w:2 on=n1,n1,n1,n1,n1,n1", "2! j 5", 0}, "j-5", 61},
        {{"fixed ones, too", "n1 4", "a q=4", "j@a 3x1 fixed on=n1,n1,n1", "2! j 0", 2}, "j-0", 61},
        {{"what it leaves goes to others", "n1 3", "a", "j@a 3x1 on=n1,n1,n1; k@a 1x2", "2! j 0; k 1", 2}, "j-0", 61},
        {{"less patience of its own", "n1 4", "a", "j@a 3x1 grace=10 on=n1,n1,n1", "2! j 0", 2}, "j-2", 20},
        {{"more patience of its own", "n1 4", "a", "j@a 3x1 grace=100 on=n1,n1,n1", "2! j 2", 0}, "j-2", 61},
        {{"endless patience", "n1 4", "a", "j@a 3x1 grace=-1 on=n1,n1,n1", "2! j 2", 0}, "j-2", 10000},
        {{"a pod alone is never stale", "n1 2", "a", "j@a 1x1 on=n1; k@a 1x1 on=n1", "2! j 1; k 0", 0}, "k", 61},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        batch_run_case_after(&cases[i].c, cases[i].lost, cases[i].wait);
}

TEST_MAIN(departments, elastic, topology, parts_of_devices, slices, moving, stale)
