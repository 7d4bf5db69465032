use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($rows, $columns, $m) = @words;
my ($value, $total) = (0, 0);
my $visit = sub {
    my ($r, $c) = @_;
    $value++;
    $total += $value if ($r + $c) % $m == 0;
};
my ($top, $bottom, $left, $right) = (0, $rows - 1, 0, $columns - 1);
while ($top <= $bottom && $left <= $right) {
    $visit->($top, $_) for $left .. $right;
    $visit->($_, $right) for $top + 1 .. $bottom;
    if ($top < $bottom) { $visit->($bottom, $_) for reverse $left .. $right - 1 }
    if ($left < $right) { $visit->($_, $left) for reverse $top + 1 .. $bottom - 1 }
    $top++; $bottom--; $left++; $right--;
}
print "$total\n";
