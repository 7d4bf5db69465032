# Tests of a release library by its documented behaviour: bash tests/test_release.sh LIBRARY
#
# Calls are made in subshells that print what came of them; a library that exits leaves some of it out.
library=$1
fine=1

is() { # is WHAT EXPECTED FOUND
    if [[ $2 != "$3" ]]; then
        printf '%s\nexpected:\n%s\nfound:\n%s\n' "$1" "$2" "$3" >&2
        fine=
    fi
}

versions=(0.0.0 1.2.3 10.20.30 999999999.999999999.999999999 0.10.0 100.0.1)
others=('' 1 1.2 1.2.3.4 01.2.3 1.02.3 1.2.03 00.0.0 1.2.x v1.2.3 '1.2.3 ' ' 1.2.3' -1.2.3 1.-2.3 1.2.3- 1..3 .1.2 1.2. 1a2a3
    1000000000.0.0 0.1000000000.0 0.0.1000000000 1.2.3-rc1 $'1.2.3\n' $'x\n1.2.3' 1,2,3)
is "versions" "${versions[*]/*/0}" \
    "$(source "$library"; for text in "${versions[@]}"; do release_is_version "$text"; echo -n "$? "; done | sed 's/ $//')"
is "no versions" "${others[*]/*/1}" \
    "$(source "$library"; for text in "${others[@]}"; do release_is_version "$text"; echo -n "$? "; done | sed 's/ $//')"

is "bumps" $'2.0.0\n1.3.0\n1.2.4\n0.0.1\n9.10.0\n10.0.0\n100000000.8.10\n0' "$(
    source "$library"
    release_bump major 1.2.3
    release_bump minor 1.2.3
    release_bump patch 1.2.3
    release_bump patch 0.0.0
    release_bump minor 9.9.9
    release_bump major 9.9.9
    release_bump patch 100000000.8.9
    echo $?
)"
for bad in 'major 1.2' 'minor 01.2.3' 'patch v1.2.3' 'Major 1.2.3' 'build 1.2.3' 'patc 1.2.3' 'x y'; do
    is "release_bump $bad" "2 message" "$(source "$library"; release_bump $bad 2>/tmp/release.err; echo "$? $([[ $(cat /tmp/release.err) == 'not a '* ]] && echo message)")"
done
is "empty words" $'2\n2' "$(source "$library"; release_bump '' 1.2.3 2>/dev/null; echo $?; release_bump patch '' 2>/dev/null; echo $?)"

latest() { # latest STATUS OUTPUT TEXT: the text goes in as it is, without a line feed added
    is "latest of $3" "$2${2:+$'\n'}$1" "$(source "$library"; release_latest < <(printf %s "$3"); echo $?)"
}

latest 0 1.10.0 $'1.9.0\n1.10.0\n1.2.0\n'
latest 0 1.2.10 $'1.2.9\n1.2.10'
latest 0 10.0.0 $'9.9.9\nv10.0.0\n9.99.0\n'
latest 0 2.1.0 $'2.1.0\n2.0.9\n1.5.0\nv1.99.99\n'
latest 0 0.0.0 $'0.0.0\n'
latest 0 1.0.0 $'vv2.0.0\n1.0.0\nv 3.0.0\n 4.0.0\n5.0.0 \n6.0\n\nlatest\n07.0.0\n\\8.0.0\n'
latest 0 1.2.4 $'1.2.4\n1.2.3'
latest 1 '' ''
latest 1 '' $'none\nv1.2\n'

is "variables of the caller" same "$(
    source "$library"
    line=a best=b a=c b=d c=e x=f y=g z=h major=i minor=j patch=k part=l version=m text=n IFS=" ,"
    declare -p line best a b c x y z major minor patch part version text IFS >/tmp/release.before
    {
        release_is_version 1.2.3
        release_bump minor 1.2.3
        release_bump x 1.2.3
        release_latest <<<$'1.0.0\n2.0.0'
    } >/dev/null 2>&1
    declare -p line best a b c x y z major minor patch part version text IFS >/tmp/release.after
    cmp -s /tmp/release.before /tmp/release.after && echo same
)"

rm -f /tmp/release.err /tmp/release.before /tmp/release.after
[[ -n $fine ]]
