<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$n, $m] = array_map('intval', $words);
$ways = [99 => [99 => 1]];
for ($row = 0; $row < $n; $row++) {
    $next = [];
    foreach ($ways as $before => $ends) {
        foreach ($ends as $last => $count) {
            for ($c = 0; $c < $m; $c++) {
                if (abs($c - $last) > 2 && abs($c - $before) !== 1) $next[$last][$c] = ($next[$last][$c] ?? 0) + $count;
            }
        }
    }
    $ways = $next;
}
echo array_sum(array_map('array_sum', $ways)), "\n";
