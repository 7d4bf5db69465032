use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($from, $to) = @words;
my @length = (0, 1, 2, 3, 2, 1, 2, 3, 4, 2);
my ($total, $most, $best) = (0, 0, 0);
for my $number ($from .. $to) {
    my $letters = int($number / 1000);
    $letters += $length[$_] for split //, $number % 1000;
    $total += $letters;
    ($most, $best) = ($letters, $number) if $letters > $most;
}
print "$total $best\n";
