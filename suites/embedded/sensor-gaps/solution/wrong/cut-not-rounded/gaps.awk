# Reports gaps in the readings of several sensors, then totals.
BEGIN {
    FS = ","
    if (every == "")
        every = 60
}
{ sub(/\r$/, "") }
/^#/ || $0 == "" || $1 == "sensor" || $3 == "NA" { next }
{
    if (!($1 in readings))
        names[++sensors] = $1
    else if ($2 - last[$1] > 1.5 * every) {
        missed = int(($2 - last[$1]) / every) - 1
        print "gap", $1, last[$1], $2, missed
        gaps[$1]++
        lost[$1] += missed
    }
    readings[$1]++
    last[$1] = $2
}
END {
    for (i = 1; i <= sensors; i++)
        print "total", names[i], readings[names[i]], gaps[names[i]] + 0, lost[names[i]] + 0
}
