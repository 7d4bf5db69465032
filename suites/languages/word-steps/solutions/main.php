<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$first, $last] = $words;
$list = array_slice($words, 3);

function near(string $a, string $b): bool
{
    if (strlen($a) !== strlen($b)) return substr($a, 1) === $b || substr($b, 1) === $a;
    return count(array_diff_assoc(str_split($a), str_split($b))) === 1;
}

$steps = [$first => 0];
for ($queue = [$first]; $queue; ) {
    $word = array_shift($queue);
    foreach ($list as $other) {
        if (!isset($steps[$other]) && near($word, $other)) {
            $steps[$other] = $steps[$word] + 1;
            $queue[] = $other;
        }
    }
}
echo $steps[$last] ?? -1, "\n";
