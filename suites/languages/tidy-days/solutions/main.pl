use strict;
use warnings;

my @words = split ' ', do { local $/; <STDIN> };

my ($first, $final) = @words;
my ($weekday, $count) = (6, 0);

sub digits {
    my ($n, $sum) = ($_[0], 0);
    for (; $n; $n = int($n / 10)) { $sum += $n % 10 }
    return $sum;
}

for my $year (1600 .. $final) {
    my $leap = $year % 4 == 0 && ($year % 100 != 0 || $year % 400 == 0);
    my @days = (31, $leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);
    my $of_year = digits($year);
    for my $month (1 .. 12) {
        for my $day (1 .. $days[$month - 1]) {
            $count++ if $year >= $first && ($of_year + digits($month) + digits($day)) % $weekday == 0;
            $weekday = $weekday % 7 + 1;
        }
    }
}
print "$count\n";
