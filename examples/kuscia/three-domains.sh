#!/bin/bash
# Three institutions on one machine, each with a computer of its own in a network namespace, and the control plane that they share: docs/domains.md.
#   three-domains.sh up      starts it, and says what to type next
#   three-domains.sh down    ends it and leaves nothing behind
# As root.  COX (default build/cox), LAB (default /var/tmp/cox-three-domains): where everything lives; LAB_NET (default 10.77.0): the first three numbers of its network.
#
#   this machine ─┐ .254
#   alice-1 .2 ───┤
#   bob-1 .3 ─────┼─ bridge .1, where the server listens
#   carol-1 .4 ───┘
# The bridge is in a namespace, too: what a firewall of this machine does with forwarded packets does not matter.
# SPDX-License-Identifier: Apache-2.0
set -eu
cox=$(command -v "${COX:-build/cox}") || { echo "There is no ${COX:-build/cox}: type make first, or say COX=PATH." >&2; exit 1; }
cox=$(realpath "$cox")
lab=${LAB:-/var/tmp/cox-three-domains}
net=${LAB_NET:-10.77.0}
link=cox-lab
server=https://$net.1:6443
domains="alice bob carol"
export KUBECONFIG=$lab/kubeconfig
unset COX_DATA_DIR COX_NODE_NAME COX_AGENT # of another cluster on this machine

at() { # a command in the network of a domain, or of the hub
    local where=$1
    shift
    nsenter --net="$lab/$where.net" -- "$@"
}

network() { # a namespace that a file stands for
    : >"$lab/$1.net"
    unshare --net="$lab/$1.net" true
    at "$1" ip link set lo up
}

plug() { # a cable from a namespace to the bridge
    at hub ip link add "$1" type veth peer name "$2" netns "$3"
    at hub ip link set "$1" master bridge up
}

start() { # a program in a namespace, in the background
    local name=$1 where=$2
    shift 2
    # not by at(): the number is to be that of the program itself
    nsenter --net="$lab/$where.net" -- "$cox" "$@" >"$lab/$name.log" 2>&1 &
    echo $! >"$lab/$name.pid"
}

# Cgroups are the machine's, whatever the namespace: those of another laboratory are not to be ended with this one's.
cgroup_of() { echo "cox-$1-$(cat "$lab/id")"; }

# A file whose number is of another program by now stops nobody.
alive() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -qF -- "$lab"; }

stop() {
    local pid
    pid=$(cat "$lab/$1.pid" 2>/dev/null) && alive "$pid" || return 0
    kill "$pid"
    for _ in $(seq 300); do
        alive "$pid" || return 0
        sleep 0.1
    done
    kill -9 "$pid"
}

down() {
    local d
    for d in $domains; do
        stop "$d"
        [ ! -d "$lab/$d" ] || at "$d" "$cox" uninstall --yes --grace 1s --data-dir "$lab/$d" --cgroup-root "$(cgroup_of "$d")" >/dev/null
    done
    stop server
    ip link del "$link" 2>/dev/null || true
    for d in $domains hub; do
        umount "$lab/$d.net" 2>/dev/null || true
    done
    rm -rf "$lab"
}

# Waits for a command to succeed.
patiently() {
    local what=$1
    shift
    for _ in $(seq 600); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    echo "$what: nothing came of it in a minute." >&2
    exit 1
}

token_of() { "$cox" get domain "$1" -o jsonpath='{.status.deployTokenStatuses[?(@.state=="unused")].token}'; }
has_token() { [ -n "$(token_of "$1")" ]; }

hub() {
    network hub
    at hub ip link add bridge address 02:00:0a:4d:00:01 type bridge
    at hub ip addr add "$net.1/24" dev bridge
    at hub ip link set bridge up
    plug here "$link" "/proc/$$/ns/net"
    ip addr add "$net.254/24" dev "$link"
    ip link set "$link" up
}

machine() {
    network "$1"
    plug "$1" eth0 "$lab/$1.net"
    at "$1" ip addr add "$2/24" dev eth0
    at "$1" ip link set eth0 up
    at "$1" ip route add default via "$net.1"
}

up() {
    local d hash number=1
    [ "$(id -u)" = 0 ] || { echo "Network namespaces need root: sudo $0 up" >&2; exit 1; }
    command -v ip >/dev/null || { echo "There is no ip: apt-get install iproute2" >&2; exit 1; }
    [ ! -e "$lab" ] || { echo "$lab is there already: $0 down ends what runs there." >&2; exit 1; }
    ! ip link show "$link" >/dev/null 2>&1 || { echo "$link is there already: one such laboratory at a time; LAB=FOLDER $0 down ends the other one." >&2; exit 1; }
    mkdir -p "$lab"
    echo $$ >"$lab/id"
    trap 'rc=$?; [ $rc = 0 ] || { tail -n 5 "$lab"/*.log >&2 || true; down; }' EXIT
    hub
    start server hub server --data-dir "$lab/server" --listen "$net.1:6443" --write-kubeconfig "$KUBECONFIG" --agent=false
    patiently "the server" "$cox" get namespace default
    hash=$("$cox" token create --ttl 1s --print-join-command | sed -n 's/.*--ca-hash \([^ ]*\).*/\1/p')
    for d in $domains; do
        printf 'apiVersion: kuscia.secretflow/v1alpha1\nkind: Domain\nmetadata: {name: %s}\n' "$d" | "$cox" apply -f -
    done
    for d in $domains; do
        number=$((number + 1))
        machine "$d" "$net.$number"
        patiently "the token of $d" has_token "$d"
        start "$d" "$d" join "$server" --domain "$d" --token "$(token_of "$d")" --ca-hash "$hash" --data-dir "$lab/$d" --node-name "$d-1" --node-ip "$net.$number" --cgroup-root "$(cgroup_of "$d")" \
            --node-capacity bandwidth=1G --eviction-hard none
    done
    for d in $domains; do
        patiently "the machine of $d" "$cox" get node "$d-1"
        "$cox" wait --for=condition=Ready "node/$d-1" --timeout=60s
    done
    trap - EXIT
    cat <<END

Three institutions, one machine each.  Type:
    export KUBECONFIG=$KUBECONFIG
    kubectl get domains,nodes
    kubectl apply -f examples/kuscia/meeting.yaml
    $cox job watch meeting
END
}

case "${1:-}" in
up) up ;;
down) down ;;
*) sed -n '2,5s/^# *//p' "$0"; exit 2 ;;
esac
