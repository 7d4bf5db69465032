<?php
$words = preg_split('/\s+/', trim(stream_get_contents(STDIN)));

$rows = (int) $words[0];
$columns = (int) $words[1];
$cells = array_slice($words, 2);
$islands = 0;
$largest = 0;
for ($r = 0; $r < $rows; $r++) {
    for ($c = 0; $c < $columns; $c++) {
        if ($cells[$r][$c] !== '#') continue;
        $stack = [[$r, $c]];
        $cells[$r][$c] = '.';
        $size = 0;
        while ($stack) {
            [$y, $x] = array_pop($stack);
            $size++;
            foreach ([[0, 1], [1, 0], [0, $columns - 1], [$rows - 1, 0]] as [$dy, $dx]) {
                $v = ($y + $dy) % $rows;
                $u = ($x + $dx) % $columns;
                if ($cells[$v][$u] === '#') {
                    $cells[$v][$u] = '.';
                    $stack[] = [$v, $u];
                }
            }
        }
        $islands++;
        $largest = max($largest, $size);
    }
}
echo "$islands $largest\n";
