<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$text = $words[0];
$n = strlen($text);
$cost = array_fill(0, $n + 2, array_fill(0, $n + 2, 0));
for ($i = $n - 1; $i >= 0; $i--) {
    for ($j = $i + 1; $j <= $n; $j++) {
        $least = $cost[$i + 1][$j] + 1;
        for ($k = $i + 1; $k < $j; $k++) {
            if (in_array($text[$i] . $text[$k], ['()', '[]', '{}'], true)) {
                $least = min($least, $cost[$i + 1][$k] + $cost[$k + 1][$j]);
            }
        }
        $cost[$i][$j] = $least;
    }
}
echo $cost[0][$n], "\n";
