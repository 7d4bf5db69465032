#!/usr/bin/env bash
# Turns an env file into lines for eval: env2sh.sh FILE

number=0
while read -r line; do
    number=$((number + 1))
    case $line in
        '' | '#'*) continue ;;
    esac
    line=${line#export }
    if [[ ! $line =~ ^([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]]; then
        echo "line $number: expected NAME=VALUE" >&2
        exit 1
    fi
    name=${BASH_REMATCH[1]}
    value=${BASH_REMATCH[2]}
    value=${value%%#*}
    value=${value//\"/}
    value=${value//\'/}
    echo "export $name=\"$value\""
done <"$1"
