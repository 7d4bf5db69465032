#!/bin/sh
# treediff.sh OLD NEW: how two lists of checksums differ.

LC_ALL=C
export LC_ALL

if [ $# -ne 2 ]; then
    echo 'usage: treediff.sh OLD NEW' >&2
    exit 2
fi

# The lines of the list $2, each behind the sign $1. What cannot be read ends in a line that is none of a list.
marked() {
    { cat <"$2" || printf '\n?\n'; } | awk -v sign="$1" '{ print sign $0 }'
}

{
    marked '<' "$1"
    marked '>' "$2"
} | awk '
    # Names are kept as they are printed: escaped.
    {
        side = substr($0, 1, 1)
        line = substr($0, 2)
        escaped = substr(line, 1, 1) == "\\"
        if (escaped)
            line = substr(line, 2)
        digits = tolower(substr(line, 1, 64))
        between = substr(line, 65, 2)
        name = substr(line, 67)
        if (length(digits) < 64 || digits ~ /[^0-9a-f]/ || (between != "  " && between != " *") || name == "")
            wrong = 1
        if (escaped) {
            others = name
            gsub(/\\\\|\\n/, "", others)
            if (index(others, "\\"))
                wrong = 1
        } else
            gsub(/\\/, "&&", name)
        if (wrong)
            next
        if (!(name in known)) {
            known[name]
            names[++count] = name
        }
        if (side == "<")
            old[name] = digits
        else
            fresh[name] = digits
    }

    # Heaps: the name at a place comes after those at its double place, and behind it.
    function sink(place, size,    name, below) {
        name = names[place]
        while ((below = 2 * place) <= size) {
            if (below < size && names[below] < names[below + 1])
                below++
            if (names[below] <= name)
                break
            names[place] = names[below]
            place = below
        }
        names[place] = name
    }

    function sort(    place, name) {
        for (place = int(count / 2); place >= 1; place--)
            sink(place, count)
        for (place = count; place > 1; place--) {
            name = names[place]
            names[place] = names[1]
            names[1] = name
            sink(1, place - 1)
        }
    }

    function report(kind, text) {
        print kind " " text
        lines[kind]++
    }

    END {
        if (wrong)
            exit 2
        sort()

        # Those on one side only, counted for each checksum.
        for (k = 1; k <= count; k++) {
            name = names[k]
            if (!(name in fresh)) {
                rank[name] = ++leaving[old[name]]
                gone[old[name], rank[name]] = name
            } else if (!(name in old))
                rank[name] = ++coming[fresh[name]]
        }

        for (k = 1; k <= count; k++) {
            name = names[k]
            if (!(name in fresh)) {
                if (rank[name] > coming[old[name]])
                    report("D", name)
            } else if (!(name in old)) {
                if (rank[name] > leaving[fresh[name]])
                    report("A", name)
                else
                    report("R", gone[fresh[name], rank[name]] " => " name)
            } else if (old[name] != fresh[name])
                report("M", name)
        }
        printf "A %d, D %d, M %d, R %d\n", lines["A"], lines["D"], lines["M"], lines["R"]
        exit (lines["A"] + lines["D"] + lines["M"] + lines["R"] > 0)
    }
'
status=$?

if [ "$status" -gt 1 ]; then
    echo 'treediff.sh: an argument cannot be read, or is no list of checksums' >&2
    exit 2
fi
exit "$status"
