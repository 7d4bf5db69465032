#!/usr/bin/perl
# Writes the records of a zone file out in full, one per line.
use strict;
use warnings;

my %names = (A => [], TXT => [], NS => [0], CNAME => [0], MX => [1], SOA => [0, 1]);
my %words = (A => 1, NS => 1, CNAME => 1, MX => 2, SOA => 7);
my %unit = (s => 1, m => 60, h => 3600, d => 86400, w => 604800);
my ($origin, $owner, $default, $last, $start) = ($ARGV[0], undef, undef, undef, 0);

sub stop {
    print "error $start\n";
    exit 1;
}

sub absolute {
    my ($name) = @_;
    return lc $origin if $name eq '@';
    return lc $name if $name =~ /\.$/;
    return lc($origin eq '.' ? "$name." : "$name.$origin");
}

# Seconds, or undef if the word is no time.
sub seconds {
    my ($word) = @_;
    return $word + 0 if $word =~ /^[0-9]+$/;
    return undef unless $word =~ /^(?:[0-9]+[smhdw])+$/i;
    my $sum = 0;
    $sum += $1 * $unit{lc $2} while $word =~ /([0-9]+)([a-z])/ig;
    return $sum;
}

sub record {
    my ($blank, @tokens) = @_;
    $owner = absolute((shift @tokens)->[1]) unless $blank;
    my ($time, $class);
    while (@tokens) {
        my ($quoted, $word) = @{$tokens[0]};
        if (!$quoted && !defined $class && uc $word eq 'IN') {
            $class = 1;
        } elsif (!$quoted && !defined $time && defined seconds($word)) {
            $time = seconds($word);
        } else {
            last;
        }
        shift @tokens;
    }
    my ($quoted, $type) = @{shift @tokens || stop()};
    $type = uc $type;
    stop() if $quoted || !$names{$type} || !defined $owner;
    $time = $time ? $time : defined $default ? $default : $last;
    stop() if !defined $time || !@tokens || ($words{$type} && @tokens != $words{$type});
    my @data = map { $_->[1] } @tokens;
    if ($type eq 'TXT') {
        @data = map { s/([\\"])/\\$1/gr } @data;
        @data = map { qq("$_") } @data;
    } elsif (grep { $_->[0] } @tokens) {
        stop();
    }
    $data[$_] = absolute($data[$_]) for @{$names{$type}};
    if ($type eq 'SOA') {
        for my $at (3 .. 6) {
            $data[$at] = seconds($data[$at]);
            stop() unless defined $data[$at];
        }
    }
    $last = $time;
    print "$owner $time IN $type @data\n";
}

sub directive {
    my ($first, @tokens) = @_;
    my $word = uc $first->[1];
    stop() if @tokens != 1 || $tokens[0][0];
    if ($word eq '$ORIGIN') {
        $origin = absolute($tokens[0][1]);
    } elsif ($word eq '$TTL') {
        $default = seconds($tokens[0][1]);
        stop() unless defined $default;
    } else {
        stop();
    }
}

my ($depth, $blank, $line, @tokens) = (0, 0, 0);
while (my $text = <STDIN>) {
    $line++;
    chomp $text;
    if (!$depth) {
        ($start, @tokens) = ($line);
        $blank = $text =~ /^[ \t(]/;
    }
    while ($text =~ /\G[ \t]*([^ \t])/gc) {
        my $sign = $1;
        if ($sign eq ';') {
            last;
        } elsif ($sign eq '(') {
            stop() if $depth++;
        } elsif ($sign eq ')') {
            stop() unless $depth--;
        } elsif ($sign eq '"') {
            $text =~ /\G((?:[^"\\]|\\.)*)"/gc or stop();
            my $inner = $1;
            push @tokens, [1, $inner =~ s/\\(.)/$1/gr];
        } else {
            $text =~ /\G([^ \t;()"]*)/gc;
            push @tokens, [0, $sign . $1];
        }
    }
    next if $depth || !@tokens;
    if (!$blank && !$tokens[0][0] && $tokens[0][1] =~ /^\$/) {
        directive(@tokens);
    } else {
        stop() if !$blank && $tokens[0][0];
        record($blank, @tokens);
    }
}
stop() if $depth;
