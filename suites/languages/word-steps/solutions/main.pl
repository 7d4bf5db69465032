use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($first, $last, undef, @list) = @words;

sub near {
    my ($p, $q) = @_;
    return substr($p, 1) eq $q || substr($q, 1) eq $p if length $p != length $q;
    return 1 == grep { substr($p, $_, 1) ne substr($q, $_, 1) } 0 .. length($p) - 1;
}

my %steps = ($first => 0);
my @queue = ($first);
while (defined(my $word = shift @queue)) {
    for my $other (@list) {
        next if exists $steps{$other} || !near($word, $other);
        $steps{$other} = $steps{$word} + 1;
        push @queue, $other;
    }
}
print $steps{$last} // -1, "\n";
