use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my $text = $words[0];
my $n = length $text;
my %closing = ('(' => ')', '[' => ']', '{' => '}');
my @cost = map { [(0) x ($n + 2)] } 0 .. $n + 1;
for my $i (reverse 0 .. $n - 1) {
    my $wanted = $closing{ substr($text, $i, 1) } // '';
    for my $j ($i + 1 .. $n) {
        my $least = $cost[$i + 1][$j] + 1;
        for my $k ($i + 1 .. $j - 1) {
            next if substr($text, $k, 1) ne $wanted;
            my $paid = $cost[$i + 1][$k] + $cost[$k + 1][$j];
            $least = $paid if $paid < $least;
        }
        $cost[$i][$j] = $least;
    }
}
print "$cost[0][$n]\n";
