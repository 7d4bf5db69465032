<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$rows, $columns, $m] = array_map('intval', $words);
$value = 0;
$total = 0;
$visit = function (int $r, int $c) use (&$value, &$total, $m): void {
    $value++;
    if (($r + $c) % $m === 0) $total += $value;
};
[$top, $bottom, $left, $right] = [0, $rows - 1, 0, $columns - 1];
while ($top <= $bottom && $left <= $right) {
    for ($c = $left; $c <= $right; $c++) $visit($top, $c);
    for ($r = $top + 1; $r <= $bottom; $r++) $visit($r, $right);
    if ($top < $bottom) for ($c = $right - 1; $c >= $left; $c--) $visit($bottom, $c);
    if ($left < $right) for ($r = $bottom - 1; $r > $top; $r--) $visit($r, $left);
    $top++;
    $bottom--;
    $left++;
    $right--;
}
echo "$total\n";
