use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

use List::Util qw(sum);
my $MOD = 1000000007;
my ($n, $m) = @words;
my @ways = map { [1, (0) x ($m - 1)] } 1 .. 3;
for (2 .. $n) {
    my ($p, $q, $r) = map { sum(@$_) % $MOD } @ways;
    unshift @{ $ways[0] }, ($q + $r) % $MOD;
    unshift @{ $ways[1] }, ($p + $r) % $MOD;
    unshift @{ $ways[2] }, $q;
    pop @$_ for @ways;
}
print sum(map { @$_ } @ways) % $MOD, "\n";
