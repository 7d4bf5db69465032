use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my $n = $words[0];
my @least = (0) x ($n + 1);
for my $p (2 .. $n) {
    next if $least[$p];
    for (my $m = $p; $m <= $n; $m += $p) { $least[$m] ||= $p }
}
my ($count, $total) = (0, 0);
for my $i (2 .. $n) {
    my ($rest, $last) = ($i, 0);
    while ($rest > 1 && $least[$rest] >= 2 * $last) {
        $last = $least[$rest];
        $rest /= $last;
    }
    if ($rest == 1) { $count++; $total += $i }
}
print "$count $total\n";
