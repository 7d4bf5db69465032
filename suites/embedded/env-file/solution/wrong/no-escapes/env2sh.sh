#!/usr/bin/env bash
# Turns an env file into lines for eval: env2sh.sh FILE
LC_ALL=C
blank=$' \t'
number=0
output=

fail() {
    echo "line $number: $1" >&2
    exit 1
}

trimmed() { # sets REPLY to $1 without blanks at its ends
    REPLY=${1#"${1%%[!$blank]*}"}
    REPLY=${REPLY%"${REPLY##*[!$blank]}"}
}

double_quoted() { # sets REPLY and rest from what follows the opening quote
    local text=$1 char
    REPLY=
    while [[ -n $text ]]; do
        char=${text:0:1}
        text=${text:1}
        if [[ $char == '"' ]]; then
            rest=$text
            return
        elif [[ $char == '\' ]]; then
            [[ -n $text ]] || break
            char=${text:0:1}
            text=${text:1}
            [[ $char == '"' || $char == '\' ]] || REPLY+='\'
        fi
        REPLY+=$char
    done
    fail "the closing quote is missing"
}

parse() { # sets name and REPLY from a line
    local pattern="^(export[$blank]+)?([A-Za-z_][A-Za-z0-9_]*)[$blank]*=[$blank]*(.*)$" value rest=
    [[ $1 =~ $pattern ]] || fail "expected NAME=VALUE"
    name=${BASH_REMATCH[2]}
    value=${BASH_REMATCH[3]}
    case $value in
        \'*\'*)
            value=${value:1}
            REPLY=${value%%\'*}
            rest=${value#*\'}
            ;;
        \'*) fail "the closing quote is missing" ;;
        \"*) double_quoted "${value:1}" ;;
        '#'*) REPLY= ;;
        *) trimmed "${value%%[$blank]#*}" ;;
    esac
    [[ $rest =~ ^[$blank]*$ || $rest =~ ^[$blank]+# ]] || fail "only a comment may follow the closing quote"
}

[[ -f ${1-} && -r $1 ]] || {
    echo "usage: env2sh.sh FILE (a file that can be read)" >&2
    exit 2
}
exec 3<"$1"
while IFS= read -r line <&3 || [[ -n $line ]]; do
    number=$((number + 1))
    trimmed "${line%$'\r'}"
    [[ -n $REPLY && $REPLY != '#'* ]] || continue
    parse "$REPLY"
    output+="export $name='${REPLY//\'/\'\\\'\'}'"$'\n'
done
printf %s "$output"
