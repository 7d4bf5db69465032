#!/usr/bin/perl
# Prints a table: table.pl WIDTH < CELLS
use strict;
use warnings;
use open qw(:std :encoding(UTF-8));
use List::Util qw(max sum0);

if (@ARGV != 1 or $ARGV[0] !~ /^[0-9]+\z/ or $ARGV[0] < 8 or $ARGV[0] > 500) {
    print STDERR "usage: table.pl WIDTH (from 8 to 500)\n";
    exit 2;
}
my $limit = $ARGV[0];

my @rows;
while (my $line = <STDIN>) {
    $line =~ s/\n\z//;
    push @rows, [map { s/ +/ /gr =~ s/^ | \z//gr } length $line ? split(/\t/, $line, -1) : ''];
}
my @places = 0 .. max map { $#$_ } @rows;
for my $row (@rows) {
    $row->[$_] //= '' for @places;
}

my @width = map { my $c = $_; max 1, map { length $_->[$c] } @rows } @places;
while (sum0(@width) + 3 * $#places > $limit) {
    my ($widest) = sort { $width[$b] <=> $width[$a] or $b <=> $a } @places;
    if ($width[$widest] <= 3) {
        print STDERR "too narrow\n";
        exit 1;
    }
    $width[$widest]--;
}

my @right = map { is_numeric($_) } @places;
my $rule = join('-+-', map { '-' x $_ } @width) . "\n";
my @wrapped = map { my $row = $_; [map { [wrap($row->[$_], $width[$_])] } @places] } @rows;
my $high = grep { grep { @$_ > 1 } @$_ } @wrapped[1 .. $#wrapped];
for my $r (0 .. $#wrapped) {
    print $rule if $r == 1 or $r > 1 and $high;
    my $height = max map { scalar @$_ } @{$wrapped[$r]};
    for my $l (0 .. $height - 1) {
        my $text = join ' | ', map {
            my $part = $wrapped[$r][$_][$l] // '';
            my $blank = ' ' x ($width[$_] - length $part);
            $right[$_] ? $blank . $part : $part . $blank
        } @places;
        print $text =~ s/ +\z//r, "\n";
    }
}
print $rule if @wrapped == 1;

# Whether a column holds numbers below the header.
sub is_numeric {
    my ($c) = @_;
    my @filled = grep { length } map { $_->[$c] } @rows[1 .. $#rows];
    return !grep { !/^-?[0-9]+(?:\.[0-9]+)?\z/ } @filled;
}

# Lines of a cell.
sub wrap {
    my ($text, $width) = @_;
    my @lines = ('');
    for my $word (split / /, $text) {
        if (length $lines[-1] and length($lines[-1]) + 1 + length $word <= $width) {
            $lines[-1] .= " $word";
            next;
        }
        push @lines, '' if length $lines[-1];
        while (length $word > $width) {
            $lines[-1] = substr $word, 0, $width, '';
            push @lines, '';
        }
        $lines[-1] = $word;
    }
    return @lines;
}
