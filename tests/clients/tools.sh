# Sourced before each command of a transcript.
# shellcheck shell=bash

kubectl() { "$KUBECTL" --cache-dir "$CACHE" "$@"; }

# api METHOD PATH [BODY [CONTENT-TYPE]]: a plain request with the admin certificate; prints the HTTP status alone, so that
# a transcript can do what only components do (a pod's status, a node).
api() {
    curl -sS -o api.out -w '%{http_code}\n' --cacert "$CERTS/ca.pem" --cert "$CERTS/admin.pem" --key "$CERTS/admin.key" -X "$1" \
        ${3:+-H "Content-Type: ${4:-application/json}" -d "$3"} "$SERVER$2"
}

# watching SECONDS-AT-MOST LINES COMMAND -- CHANGES: starts the watching COMMAND, makes the CHANGES after its first line, and
# ends it after that many lines.
watching() {
    local limit=$1 lines=$2 command=$3 changes=$5 pid n=0
    : >watch.out
    # shellcheck disable=SC2086  # its words; not through the function, whose process would stand between
    "$KUBECTL" --cache-dir "$CACHE" ${command#kubectl } >watch.out 2>&1 &
    pid=$!
    for _ in $(seq $((limit * 20))); do
        [ -s watch.out ] && break
        sleep 0.05
    done
    eval "$changes" >changes.out 2>&1 || cat changes.out
    for _ in $(seq $((limit * 20))); do
        n=$(wc -l <watch.out)
        [ "$n" -ge "$lines" ] && break
        sleep 0.05
    done
    kill $pid 2>/dev/null
    wait $pid 2>/dev/null
    cat watch.out
}

# editor SED-SCRIPT: an editor for `kubectl edit` that changes the file by a sed script.
editor() {
    # shellcheck disable=SC2016  # the script's own argument
    printf '#!/bin/sh\nsed -i "%s" "$1"\n' "$1" >edit.sh
    chmod +x edit.sh
    export KUBE_EDITOR=$PWD/edit.sh
}
