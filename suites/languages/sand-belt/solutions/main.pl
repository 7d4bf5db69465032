use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($rows, $columns, $y, $x, $k) = @words;
my @sand = map { [(0) x $columns] } 1 .. $rows;
$sand[$y][$x] = $k;
my $again = 1;
while ($again) {
    $again = 0;
    for my $r (0 .. $rows - 1) {
        for my $c (0 .. $columns - 1) {
            my $times = int($sand[$r][$c] / 4) or next;
            $again = 1;
            $sand[$r][$c] %= 4;
            $sand[$r - 1][$c] += $times if $r > 0;
            $sand[$r + 1][$c] += $times if $r + 1 < $rows;
            $sand[$r][($c + 1) % $columns] += $times;
            $sand[$r][($c - 1) % $columns] += $times;
        }
    }
}
my ($grains, $threes) = (0, 0);
for my $cell (map { @$_ } @sand) { $grains += $cell; $threes++ if $cell == 3 }
print "$grains $threes\n";
