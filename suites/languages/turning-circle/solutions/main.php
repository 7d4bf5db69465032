<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$n, $k] = array_map('intval', $words);
$people = range(1, $n);
$gone = [];
$at = 0;
while (count($people) > 1) {
    $size = count($people);
    $turn = count($gone);
    $step = ($k + $turn - 1) % $size;
    $at = $turn % 2 === 0 ? ($at + $step) % $size : ($at - 1 - $step + 2 * $size) % $size;
    $gone[] = array_splice($people, $at, 1)[0];
}
echo $people[0], ' ', array_sum(array_slice($gone, -3)), "\n";
