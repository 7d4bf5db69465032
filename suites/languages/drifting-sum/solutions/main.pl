use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my @x = reverse split //, $words[0];
my @y = reverse split //, $words[1];
for my $i (3 .. $words[2]) {
    my ($carry, @sum) = ($i);
    for (my $d = 0; $d < @x || $d < @y || $carry; $d++) {
        $carry += ($x[$d] // 0) + ($y[$d] // 0);
        push @sum, $carry % 10;
        $carry = int($carry / 10);
    }
    @x = @y;
    @y = @sum;
}
print scalar(@y), " ", scalar(grep { $_ == 7 } @y), "\n";
