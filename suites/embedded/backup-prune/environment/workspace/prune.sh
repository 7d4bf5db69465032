#!/usr/bin/env bash
# Reads names of dumps on standard input and prints those that may be deleted.
# usage: prune.sh [-n COUNT] < NAMES

sort -r | tail -n +4
