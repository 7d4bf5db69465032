<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$digits = [1];
for ($i = 1; $i <= (int) $words[0]; $i++) {
    $carry = 0;
    foreach ($digits as $d => $digit) {
        $carry += $digit * ($i * $i + 1);
        $digits[$d] = $carry % 10;
        $carry = intdiv($carry, 10);
    }
    for (; $carry > 0; $carry = intdiv($carry, 10)) $digits[] = $carry % 10;
}
echo count($digits), ' ', array_sum($digits), "\n";
