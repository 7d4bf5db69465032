use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($n, $m) = @words;

sub place {
    my ($row, $before, $last) = @_;
    return 1 if $row == $n;
    my $ways = 0;
    for my $c (0 .. $m - 1) {
        $ways += place($row + 1, $last, $c) if abs($c - $last) > 2 && abs($c - $before) != 1;
    }
    return $ways;
}

print place(0, 99, 99), "\n";
