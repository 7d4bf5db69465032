<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$x = array_map('intval', str_split(strrev($words[0])));
$y = array_map('intval', str_split(strrev($words[1])));
for ($i = 3; $i <= (int) $words[2]; $i++) {
    $sum = [];
    $carry = $i;
    for ($d = 0; $d < max(count($x), count($y)) || $carry > 0; $d++) {
        $carry += ($x[$d] ?? 0) + ($y[$d] ?? 0);
        $sum[] = $carry % 10;
        $carry = intdiv($carry, 10);
    }
    [$x, $y] = [$y, $sum];
}
echo count($y), ' ', count(array_keys($y, 7, true)), "\n";
