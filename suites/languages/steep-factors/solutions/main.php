<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$n = (int) $words[0];
$least = array_fill(0, $n + 1, 0);
for ($p = 2; $p <= $n; $p++) {
    if ($least[$p] !== 0) continue;
    for ($m = $p; $m <= $n; $m += $p) {
        if ($least[$m] === 0) $least[$m] = $p;
    }
}
$count = 0;
$total = 0;
for ($i = 2; $i <= $n; $i++) {
    $rest = $i;
    $last = 0;
    while ($rest > 1 && $least[$rest] >= 2 * $last) {
        $last = $least[$rest];
        $rest = intdiv($rest, $last);
    }
    if ($rest === 1) {
        $count++;
        $total += $i;
    }
}
echo "$count $total\n";
