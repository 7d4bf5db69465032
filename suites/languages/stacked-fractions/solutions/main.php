<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$numbers = array_map('intval', $words);
[$top, $bottom] = [0, 1];
for ($i = 1; $i < count($numbers); $i += 2) {
    $top = $top * $numbers[$i + 1] + $numbers[$i] * $bottom;
    $bottom *= $numbers[$i + 1];
}
$terms = [];
while ($bottom > 0) {
    $terms[] = intdiv($top, $bottom);
    [$top, $bottom] = [$bottom, $top % $bottom];
}
echo implode(' ', $terms), "\n";
