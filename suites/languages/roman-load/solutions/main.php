<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$a, $b] = array_map('intval', $words);
$length = [0, 1, 2, 3, 2, 1, 2, 3, 4, 2];
[$total, $most, $best] = [0, 0, 0];
for ($number = $a; $number <= $b; $number++) {
    $letters = intdiv($number, 1000);
    foreach (str_split((string) ($number % 1000)) as $digit) $letters += $length[(int) $digit];
    $total += $letters;
    if ($letters > $most) [$most, $best] = [$letters, $number];
}
echo "$total $best\n";
