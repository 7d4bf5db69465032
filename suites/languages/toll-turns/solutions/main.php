<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$rows = (int) $words[0];
$columns = (int) $words[1];
$lines = array_slice($words, 2);
$moves = [[0, 1], [1, 0], [0, -1], [-1, 0]];
$waiting = new SplPriorityQueue();
$waiting->insert([0, 0, 0, -1], 0);
$done = [];
while (true) {
    [$paid, $r, $c, $came] = $waiting->extract();
    if ($r === $rows - 1 && $c === $columns - 1) break;
    if (isset($done["$r $c $came"])) continue;
    $done["$r $c $came"] = true;
    foreach ($moves as $d => [$dy, $dx]) {
        [$v, $u] = [$r + $dy, $c + $dx];
        if ($v < 0 || $v >= $rows || $u < 0 || $u >= $columns) continue;
        $next = $paid + (int) $lines[$v][$u] + ($came >= 0 && $came !== $d ? 3 : 0);
        $waiting->insert([$next, $v, $u, $d], -$next);
    }
}
echo "$paid\n";
