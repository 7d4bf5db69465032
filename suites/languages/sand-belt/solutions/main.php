<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

[$rows, $columns, $y, $x, $k] = array_map('intval', $words);
$sand = array_fill(0, $rows, array_fill(0, $columns, 0));
$sand[$y][$x] = $k;
do {
    $again = false;
    for ($r = 0; $r < $rows; $r++) {
        for ($c = 0; $c < $columns; $c++) {
            $times = intdiv($sand[$r][$c], 4);
            if ($times === 0) continue;
            $again = true;
            $sand[$r][$c] %= 4;
            foreach ([[$r - 1, $c], [$r + 1, $c], [$r, ($c + 1) % $columns], [$r, ($c + $columns - 1) % $columns]] as [$v, $u]) {
                if (isset($sand[$v])) $sand[$v][$u] += $times;
            }
        }
    }
} while ($again);
$all = array_merge(...$sand);
echo array_sum($all), ' ', count(array_keys($all, 3, true)), "\n";
