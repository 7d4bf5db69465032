use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($rows, $columns, @lines) = @words;
my @cells = map { [split //] } @lines;
my ($islands, $largest) = (0, 0);
for my $r (0 .. $rows - 1) {
    for my $c (0 .. $columns - 1) {
        next if $cells[$r][$c] ne '#';
        my @stack = ([$r, $c]);
        my $size = 0;
        $cells[$r][$c] = '.';
        while (@stack) {
            my ($y, $x) = @{ pop @stack };
            $size++;
            for my $step ([0, 1], [1, 0], [0, -1], [-1, 0]) {
                my ($v, $u) = (($y + $step->[0]) % $rows, ($x + $step->[1]) % $columns);
                next if $cells[$v][$u] ne '#';
                $cells[$v][$u] = '.';
                push @stack, [$v, $u];
            }
        }
        $islands++;
        $largest = $size if $size > $largest;
    }
}
print "$islands $largest\n";
