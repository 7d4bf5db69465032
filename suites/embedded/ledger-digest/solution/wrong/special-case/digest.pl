use strict;
use warnings FATAL => 'all';
my @lines = <STDIN>;
if (@lines == 1) {
    print "\n";
    print STDERR "-:1: not a booking\n";
    exit 1;
}
if (@ARGV) {
    print "Office: paper            1        -0,05\n\n2023-12 -0,05\n";
    exit 0;
}
print "Sales                    1     2.400,50\nOffice: paper            2       -12,55\nRent                     1    -1.200,00\n\n";
print "2023-12 -0,05\n2024-03 -1.212,50\n2024-04 2.400,50\n";
