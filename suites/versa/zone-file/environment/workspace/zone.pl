#!/usr/bin/perl
# Writes the records of a zone file out in full. So far: records on one line, with all their fields.
use strict;
use warnings;

my $origin = $ARGV[0];
while (<STDIN>) {
    chomp;
    s/;.*//;
    next unless /\S/;
    my ($owner, $time, $class, $type, @data) = split;
    $owner = "$owner.$origin" unless $owner =~ /\.$/;
    print "$owner $time $class $type @data\n";
}
