<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$text = $words[0];
$n = strlen($text);
$answer = '0 -';
for ($length = intdiv($n, 2); $length > 0 && $answer === '0 -'; $length--) {
    $found = [];
    for ($i = 0; $i + 2 * $length <= $n; $i++) {
        $part = substr($text, $i, $length);
        if (strpos($text, $part, $i + $length) !== false) $found[] = $part;
    }
    if ($found) $answer = $length . ' ' . min($found);
}
echo "$answer\n";
