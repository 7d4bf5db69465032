use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($n, @v) = @words;
my (@length, @sum);
my $best = 0;
for my $i (0 .. $n - 1) {
    ($length[$i], $sum[$i]) = (1, $v[$i]);
    for my $j (0 .. $i - 1) {
        next unless $v[$j] < $v[$i] && ($v[$i] - $v[$j]) % 2;
        my ($l, $s) = ($length[$j] + 1, $sum[$j] + $v[$i]);
        ($length[$i], $sum[$i]) = ($l, $s) if $l > $length[$i] || ($l == $length[$i] && $s > $sum[$i]);
    }
    $best = $i if $length[$i] > $length[$best] || ($length[$i] == $length[$best] && $sum[$i] > $sum[$best]);
}
print "$length[$best] $sum[$best]\n";
