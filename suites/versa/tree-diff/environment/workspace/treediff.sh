#!/bin/sh
# treediff.sh OLD NEW: how two lists of checksums differ. So far: names without blanks, and no renamed files.
awk '
    NR == FNR { old[$2] = $1; next }
    !($2 in old) { print "A " $2; added++; next }
    old[$2] != $1 { print "M " $2; changed++ }
    { delete old[$2] }
    END {
        for (name in old) { print "D " name; deleted++ }
        printf "A %d, D %d, M %d, R 0\n", added, deleted, changed
    }
' "$1" "$2" | sort
