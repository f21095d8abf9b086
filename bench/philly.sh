#!/bin/sh
# philly.sh - the Philly trace with its virtual clusters as queues, under every setting of the batch policy, beside plain FIFO.
#   bench/philly.sh TRACE.csv [NODES]      needs build/cox (make); NODES of 8 GPUs each, 64
# The trace is not part of the project: timestamp,duration,num_gpus,gpu_time,cluster.
# Twice: jobs that save their work every 30 minutes, and jobs that never do.
set -eu
trace=${1:?name the trace: bench/philly.sh philly.csv}
nodes=${2:-64}
cox=${COX:-build/cox}
if [ ! -r "$trace" ]; then
    echo "philly.sh: there is no $trace" >&2
    exit 1
fi
for checkpoint in 30m 0; do
    echo "== $nodes nodes of 8 GPUs, checkpoints: $([ $checkpoint = 0 ] && echo never || echo "every $checkpoint")"
    "$cox" sim philly "$trace" --nodes "$nodes" --queues --checkpoint "$checkpoint" --policy all
    echo
done
