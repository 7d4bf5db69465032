<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

function gcd(int $a, int $b): int
{
    return $b === 0 ? $a : gcd($b, $a % $b);
}

$numbers = array_map('intval', $words);
$t = 0;
$step = 1;
for ($i = 1; $i < count($numbers); $i += 2) {
    [$m, $x] = [$numbers[$i], $numbers[$i + 1]];
    for ($tries = 0; $t % $m !== $x; $tries++) {
        if ($tries > $m) {
            echo "never\n";
            exit(0);
        }
        $t += $step;
    }
    $step = intdiv($step, gcd($step, $m)) * $m;
}
echo "$t\n";
