use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($rows, $columns, @lines) = @words;
my @toll = map { [split //] } @lines;
my @moves = ([0, 1], [1, 0], [0, -1], [-1, 0]);
my @waiting = ([[0, 0, -1]]);    # states by what was paid
my %done;
for (my $paid = 0; ; $paid++) {
    while (my $state = shift @{ $waiting[$paid] //= [] }) {
        my ($r, $c, $came) = @$state;
        if ($r == $rows - 1 && $c == $columns - 1) { print "$paid\n"; exit 0 }
        next if $done{"$r $c $came"}++;
        for my $d (0 .. 3) {
            my ($v, $u) = ($r + $moves[$d][0], $c + $moves[$d][1]);
            next if $v < 0 || $v >= $rows || $u < 0 || $u >= $columns;
            my $next = $paid + $toll[$v][$u] + ($came >= 0 && $came != $d ? 3 : 0);
            push @{ $waiting[$next] }, [$v, $u, $d];
        }
    }
}
