#!/bin/sh
# treediff.sh OLD NEW: how two lists of checksums differ.
if [ $# -ne 2 ]; then
    echo "usage: treediff.sh OLD NEW" >&2
    exit 2
fi
LC_ALL=C OLD=$1 NEW=$2 exec awk -f "$(dirname -- "$0")/treediff.awk"
