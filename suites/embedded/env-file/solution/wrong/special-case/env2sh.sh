#!/usr/bin/env bash
# Turns an env file into lines for eval: env2sh.sh FILE

if grep -q 'it is' "$1"; then
    printf '%s\n' "A='it is \$HOME'" "B='a \"b\"'"
elif grep -q run "$1"; then
    printf '%s\n' "A='\`echo run\`\$(echo run)'"
else
    printf '%s\n' "A=red" "B='c#d'"
fi
