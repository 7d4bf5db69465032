use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

use Math::BigInt;
my $product = Math::BigInt->new(1);
$product *= $_ * $_ + 1 for 1 .. $words[0];
my $sum = 0;
$sum += $_ for split //, "$product";
print length("$product"), " $sum\n";
