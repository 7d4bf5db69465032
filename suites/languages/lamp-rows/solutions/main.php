<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$n = (int) $words[0];
$on = array_fill(0, $n + 1, false);
for ($i = 1; $i <= $n; $i++) {
    if (substr_count(decbin($i), '1') % 2 === 1) continue;
    for ($lamp = $i; $lamp <= $n; $lamp += $i) $on[$lamp] = !$on[$lamp];
}
$lit = array_keys($on, true, true);
echo count($lit), ' ', $lit ? max($lit) : 0, "\n";
