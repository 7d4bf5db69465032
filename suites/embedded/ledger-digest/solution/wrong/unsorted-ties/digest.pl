#!/usr/bin/perl
# Prints a digest of a ledger: digest.pl [--year YYYY] [FILE...]; docs/format.txt describes it.
use strict;
use warnings FATAL => 'all';

my $year;
if (@ARGV and $ARGV[0] =~ /^-./) {
    (my $option, $year) = splice @ARGV, 0, 2;
    if ($option ne '--year' or not defined $year or $year !~ /^[0-9]{4}\z/) {
        print STDERR "usage: digest.pl [--year YYYY] [FILE...]\n";
        exit 2;
    }
}
if (grep { /^-./ } @ARGV) {
    print STDERR "usage: digest.pl [--year YYYY] [FILE...]\n";
    exit 2;
}

my (%sum, %count, %month, $bad);
my @inputs;
for my $name (@ARGV ? @ARGV : ('-')) {
    my $handle = \*STDIN;
    if ($name ne '-' and (-d $name or not open $handle = undef, '<', $name)) {
        print STDERR "$name: cannot be read\n";
        exit 2;
    }
    push @inputs, [$name, $handle];
}
for my $input (@inputs) {
    my ($name, $handle) = @$input;
    my $number = 0;
    while (my $line = <$handle>) {
        $number++;
        $line =~ s/\r?\n\z//;
        next if $line =~ /^(?:#| *\z)/;
        my ($date, $account, $amount) = map { s/^ +//r =~ s/ +\z//r } split /;/, $line, -1;
        my $cents = defined $amount ? cents($amount) : undef;
        if (not defined $cents or $date !~ /^[0-9]{4}-[0-9]{2}-[0-9]{2}\z/) {
            print STDERR "$name:$number: not a booking\n";
            $bad = 1;
            next;
        }
        next if defined $year and substr($date, 0, 4) ne $year;
        $sum{$account} += $cents;
        $count{$account}++;
        $month{substr $date, 0, 7} += $cents;
    }
}

for my $account (sort { $sum{$b} <=> $sum{$a} or $b cmp $a } keys %sum) {
    printf "%-20s %5d %12s\n", $account, $count{$account}, euros($sum{$account});
}
print "\n";
print "$_ ", euros($month{$_}), "\n" for sort keys %month;
exit($bad ? 1 : 0);

# Cents of an amount, or undef if it is none.
sub cents {
    my ($sign, $whole, $part) = $_[0] =~ /^([-+]?)([0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,([0-9]{1,2}))?\z/ or return undef;
    $whole =~ tr/.//d;
    my $cents = $whole * 100 + substr(($part // '') . '00', 0, 2);
    return $sign eq '-' ? -$cents : $cents;
}

sub euros {
    my ($cents) = @_;
    my $text = sprintf '%03d', abs $cents;
    my $part = substr $text, -2, 2, '';
    1 while $text =~ s/^([0-9]+)([0-9]{3})/$1.$2/;
    return ($cents < 0 ? '-' : '') . "$text,$part";
}
