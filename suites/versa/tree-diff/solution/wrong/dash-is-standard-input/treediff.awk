# How the list of checksums OLD differs from the list NEW, both named by the environment.

function fail(text) {
    print text | "cat >&2"
    close("cat >&2")
    exit 2
}

# Reads a list into sums, by name as it is printed.
function read_list(file, sums,    line, escaped, got, name) {
    while ((got = (getline line < file)) > 0) {
        escaped = sub(/^\\/, "", line)
        if (line !~ /^[0-9a-fA-F]+ [ *]./ || index(line, " ") != 65)
            fail(file ": no line of checksums: " line)
        name = substr(line, 67)
        if (!escaped)
            gsub(/\\/, "\\\\\\\\", name)
        sums[name] = tolower(substr(line, 1, 64))
    }
    if (got < 0)
        fail(file ": cannot be read")
}

# Sorts list[1..count] by bytes.
function sort(list, count,    gap, at, to, value) {
    for (gap = 1; gap < count; gap = gap * 3 + 1)
        continue
    for (; gap >= 1; gap = int(gap / 3))
        for (at = gap + 1; at <= count; at++) {
            value = list[at] ""
            for (to = at - gap; to >= 1 && (list[to] "") > value; to -= gap)
                list[to + gap] = list[to]
            list[to + gap] = value
        }
}

# Notes a line to print, under the name that decides its place.
function note(kind, name, text) {
    places[++lines] = name
    found[name] = kind " " text
    counts[kind]++
}

BEGIN {
    read_list(ENVIRON["OLD"], old)
    read_list(ENVIRON["NEW"], new)
    for (name in old)
        if (!(name in new))
            gone[++lost] = name
        else if (old[name] != new[name])
            note("M", name, name)
    for (name in new)
        if (!(name in old))
            come[++won] = name
    sort(gone, lost)
    sort(come, won)
    for (at = 1; at <= lost; at++) {
        sum = old[gone[at]]
        waiting[sum, ++ends[sum]] = gone[at]
    }
    for (at = 1; at <= won; at++) {
        sum = new[come[at]]
        if (firsts[sum] < ends[sum]) {
            name = waiting[sum, ++firsts[sum]]
            moved[name] = 1
            note("R", come[at], name " => " come[at])
        } else
            note("A", come[at], come[at])
    }
    for (at = 1; at <= lost; at++)
        if (!(gone[at] in moved))
            note("D", gone[at], gone[at])
    sort(places, lines)
    for (at = 1; at <= lines; at++)
        print found[places[at]]
    printf "A %d, D %d, M %d, R %d\n", counts["A"], counts["D"], counts["M"], counts["R"]
    exit lines > 0
}
