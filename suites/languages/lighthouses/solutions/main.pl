use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

sub gcd { my ($p, $q) = @_; return $q ? gcd($q, $p % $q) : $p }

my ($k, @rest) = @words;
my ($t, $step) = (0, 1);
while (my ($m, $x) = splice @rest, 0, 2) {
    my $tries = 0;
    while ($t % $m != $x) {
        if ($tries++ > $m) { print "never\n"; exit 0 }
        $t += $step;
    }
    $step = $step / gcd($step, $m) * $m;
}
print "$t\n";
