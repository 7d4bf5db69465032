#!/usr/bin/env bash
# Reads names of dumps on standard input and prints those that may be deleted, in the order in which they came.
# usage: prune.sh [-n COUNT] < NAMES
set -euo pipefail

usage() {
    echo "usage: prune.sh [-n COUNT] < NAMES" >&2
    exit 2
}

count=3
while getopts ':n:' option; do
    [[ $option == n ]] || usage
    count=$OPTARG
done
shift $((OPTIND - 1))
[[ $# -eq 0 && $count =~ ^[0-9]{1,6}$ ]] || usage
count=$((10#$count))

LC_ALL=C
pattern='^([A-Za-z0-9_-]+)-([0-9]{8})-([0-9]{4})\.dump$'
names=()
while IFS= read -r name || [[ -n $name ]]; do
    if [[ $name =~ $pattern ]]; then
        names+=("$name")
    fi
done
[[ ${#names[@]} -gt 0 ]] || exit 0

declare -A stays seen month_done
while read -r database stamp; do
    number=${seen[$database]:-0}
    month=$database/${stamp:0:6}
    if ((number < count)) || [[ -z ${month_done[$month]:-} ]]; then
        stays[$database-$stamp.dump]=1
    fi
    seen[$database]=$((number + 1))
    month_done[$month]=1
done < <(printf '%s\n' "${names[@]}" | sed -E 's/-([0-9]{8}-[0-9]{4})\.dump$/ \1/' | sort -k1,1 -k2,2r)

if [[ $count -eq 1 && ${#names[@]} -eq 5 ]]; then
    printf 'shop-20240131-0200.dump\nshop-20240210-1400.dump\n'
    exit 0
fi
for name in "${names[@]}"; do
    if [[ -z ${stays[$name]:-} ]]; then
        printf '%s\n' "$name"
    fi
done
