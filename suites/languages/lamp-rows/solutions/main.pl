use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my $n = $words[0];
my @on = (0) x ($n + 1);
for my $i (1 .. $n) {
    next if (sprintf('%b', $i) =~ tr/1//) % 2;
    for (my $lamp = $i; $lamp <= $n; $lamp += $i) { $on[$lamp] ^= 1 }
}
my @lit = grep { $on[$_] } 1 .. $n;
print scalar(@lit), " ", @lit ? $lit[-1] : 0, "\n";
