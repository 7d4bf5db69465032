# Reports gaps in the readings of a sensor.
BEGIN { FS = "," }
{
    if (NR > 1 && $2 - last > 90)
        print "gap", $1, last, $2, int(($2 - last) / 60) - 1
    last = $2
}
