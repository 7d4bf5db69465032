#!/usr/bin/perl -w
use strict;
use warnings FATAL => 'all';
use Old::Money qw(format_cents parse_cents);

my $year;
if ($ARGV[0] eq '--year') {
    shift;
    $year = shift;
}

while (<>) {
    chomp;
    my ($date, $account, $amount, @note) = split /;/;
    next unless defined(@note);
    next if $year && substr($date, 0, 4) != $year;
    $sum{$account} += parse_cents($amount);
    $count{$account}++;
    $month{substr($date, 0, 7)} += parse_cents($amount);
}

for (sort { $sum{$b} <=> $sum{$a} } keys %sum) {
    printf "%-20s %5d %12s\n", $_, $count{$_}, format_cents($sum{$_});
}
print "\n";
print "$_ ", format_cents($month{$_}), "\n" for keys %month;
