<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$a, $b] = array_map('intval', $words);
$day = new DateTime("$a-01-01", new DateTimeZone('UTC'));
$count = 0;
while ((int) $day->format('Y') <= $b) {
    $sum = array_sum(str_split($day->format('jnY')));
    if ($sum % (int) $day->format('N') === 0) $count++;
    $day->modify('+1 day');
}
echo "$count\n";
