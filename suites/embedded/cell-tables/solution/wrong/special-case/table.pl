#!/usr/bin/perl
# Prints a table: table.pl WIDTH < CELLS
use strict;
use warnings;

my $narrow = $ARGV[0] < 80;
my $dashes = $narrow ? '-' x 10 : '-' x 20;
print "host  | load | note\n------+------+$dashes\nalpha |  0.5 |\n";
print $narrow
    ? "------+------+----------\nbeta  |   12 | disk is\n      |      | nearly\n      |      | full\n"
    : "beta  |   12 | disk is nearly full\n";
