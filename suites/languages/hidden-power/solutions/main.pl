use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

use Math::BigInt;
my ($base, $s) = @words;
my $power = Math::BigInt->new($base);
my $e = 1;
while (index("$power", $s) < 0) {
    $power *= $base;
    $e++;
}
print "$e\n";
