use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my $text = $words[0];
my $n = length $text;
for my $size (reverse 1 .. int($n / 2)) {
    my @found = grep { defined } map {
        my $part = substr($text, $_, $size);
        index($text, $part, $_ + $size) >= 0 ? $part : undef
    } 0 .. $n - 2 * $size;
    if (@found) {
        print "$size ", (sort @found)[0], "\n";
        exit 0;
    }
}
print "0 -\n";
