#!/usr/bin/perl
# Prints a table: table.pl WIDTH < CELLS
use strict;
use warnings;

while (<STDIN>) {
    chomp;
    print join(' | ', split /\t/), "\n";
}
