<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

const MOD = 1000000007;
[$n, $m] = array_map('intval', $words);
$ways = array_fill(0, 3, array_pad([1], $m, 0));
for ($i = 1; $i < $n; $i++) {
    [$a, $b, $c] = array_map(fn($row) => array_sum($row) % MOD, $ways);
    foreach ([($b + $c) % MOD, ($a + $c) % MOD, $b] as $letter => $begun) {
        array_unshift($ways[$letter], $begun);
        array_pop($ways[$letter]);
    }
}
echo array_sum(array_map('array_sum', $ways)) % MOD, "\n";
