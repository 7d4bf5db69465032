<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$values = array_map('intval', array_slice($words, 1));
$best = [];
foreach ($values as $i => $value) {
    $before = [0, 0];
    for ($j = 0; $j < $i; $j++) {
        if ($values[$j] < $value && ($value - $values[$j]) % 2 === 1) $before = max($before, $best[$j]);
    }
    $best[] = [$before[0] + 1, $before[1] + $value];
}
echo implode(' ', max($best)), "\n";
