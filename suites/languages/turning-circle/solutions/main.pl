use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($n, $k) = @words;
my @people = 1 .. $n;
my @gone;
my $at = 0;
while (@people > 1) {
    my $step = $k + @gone - 1;
    $at = (@gone % 2 == 0 ? $at + $step : $at - 1 - $step) % @people;
    push @gone, splice(@people, $at, 1);
}
print "$people[0] ", $gone[-1] + $gone[-2] + $gone[-3], "\n";
