<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$a = (int) $words[0];
$wanted = strrev($words[1]);
$digits = [1];
$e = 0;
do {
    $carry = 0;
    foreach ($digits as $d => $digit) {
        $carry += $digit * $a;
        $digits[$d] = $carry % 10;
        $carry = intdiv($carry, 10);
    }
    for (; $carry > 0; $carry = intdiv($carry, 10)) $digits[] = $carry % 10;
    $e++;
} while (!str_contains(implode('', $digits), $wanted));
echo "$e\n";
