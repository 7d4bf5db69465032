use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($n, @rest) = @words;
my ($top, $bottom) = (0, 1);
while (my ($p, $q) = splice @rest, 0, 2) {
    ($top, $bottom) = ($top * $q + $p * $bottom, $bottom * $q);
}
my @terms;
while ($bottom) {
    push @terms, int($top / $bottom);
    ($top, $bottom) = ($bottom, $top % $bottom);
}
print "@terms\n";
