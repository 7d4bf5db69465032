#!/usr/bin/perl
# Writes the records of a zone file out in full: perl zone.pl ORIGIN < ZONE
#
# The zone is scanned as one text. Each entry is a list of words; a word is a reference to its text, blessed as `Quoted`
# if it stood in quotes, or as `Plain`.
use strict;
use warnings;

my %SECONDS = (s => 1, m => 60, h => 3_600, d => 86_400, w => 604_800);

# How the data of a type are written, one reader for each word; that of strings takes all words that are left.
my %DATA = (
    A     => [\&word],
    NS    => [\&name],
    CNAME => [\&name],
    MX    => [\&word, \&name],
    SOA   => [\&name, \&name, \&word, (\&time_of) x 4],
    TXT   => [\&strings],
);

my %DIRECTIVES = (
    '$ORIGIN' => sub { $_[0]{origin} = name(@_) },
    '$TTL'    => sub { $_[0]{default} = time_of(@_) },
);

# --- single words: each function takes the state and the words that are left, and takes its own off them ---

sub wrong { die { wrong => 1 } }

sub word {
    my ($state, $words) = @_;
    my $word = shift @$words;
    wrong() unless $word && $word->isa('Plain');
    return $$word;
}

sub name {
    my ($state) = @_;
    my $name = word(@_);
    return $state->{origin} if $name eq '@';
    return lc $name if substr($name, -1) eq '.';
    return lc($name) . ($state->{origin} eq '.' ? '.' : ".$state->{origin}");
}

sub time_of {
    return seconds(word(@_)) // wrong();
}

sub strings {
    my ($state, $words) = @_;
    wrong() unless @$words;
    return map { '"' . $$_ =~ s/(["\\])/\\$1/gr . '"' } splice @$words;
}

# The seconds that a text stands for, or undef if it is no TIME.
sub seconds {
    my ($text) = @_;
    my $number = sub {
        return 0 + $_[0] if length $text < 13;
        require Math::BigInt;
        return Math::BigInt->new($_[0]);
    };
    return $number->($text) . '' if $text =~ /\A[0-9]+\z/;
    return unless $text =~ /\A(?:[0-9]+[smhdw])+\z/i;
    my $sum = 0;
    $sum = $number->($1) * $SECONDS{lc $2} + $sum while $text =~ /([0-9]+)([a-z])/gi;
    return "$sum";
}

# --- entries ---

sub record {
    my ($state, $words, $indented) = @_;
    $state->{owner} = name($state, $words) unless $indented;

    my ($time, $class, $type);
    while (!defined $type) {
        my $next = word($state, $words);
        if (!$class && uc $next eq 'IN') { $class = 1 }
        elsif (!defined $time && defined seconds($next)) { $time = seconds($next) }
        else { $type = uc $next }
    }
    $time //= $state->{default} // $state->{before};
    my $readers = $DATA{$type};
    wrong() unless $readers && defined $time && defined $state->{owner};

    my @data = map { $_->($state, $words) } @$readers;
    wrong() if @$words;
    $state->{before} = $time;
    print join(' ', $state->{owner}, $time, 'IN', $type, @data), "\n";
}

sub entry {
    my ($state, $words, $indented) = @_;
    return unless @$words;
    my $first = $words->[0];
    return record($state, $words, $indented) unless $first->isa('Plain') && $$first =~ /\A\$/;
    my $directive = $DIRECTIVES{uc word($state, $words)} // wrong();
    $directive->($state, $words);
    wrong() if @$words;
}

# --- the text ---

# The next entry of the text, from its position on: its words, and whether it is indented.
sub scan {
    my ($text, $lines) = @_;
    my $indented = $$text =~ /\G(?=[ \t(])/gc;
    my ($open, @words) = 0;
    until ($$text =~ /\G\z/gc) {
        if    ($$text =~ /\G[ \t]+/gc)              { }
        elsif ($$text =~ /\G;[^\n]*/gc)             { }
        elsif ($$text =~ /\G\n/gc)                  { $$lines++; last unless $open }
        elsif ($$text =~ /\G\(/gc)                  { wrong() if $open++ }
        elsif ($$text =~ /\G\)/gc)                  { wrong() unless $open-- }
        elsif ($$text =~ /\G([^ \t\n;()"]+)/gc)     { push @words, bless \(my $copy = $1), 'Plain' }
        elsif ($$text =~ /\G"/gc)                   { push @words, bless \(my $content = quoted($text)), 'Quoted' }
    }
    wrong() if $open;
    return \@words, $indented;
}

# What stands in quotes, behind the first of them.
sub quoted {
    my ($text) = @_;
    my $content = '';
    until ($$text =~ /\G"/gc) {
        wrong() unless $$text =~ /\G([^"\\\n]+)/gc || $$text =~ /\G\\([^\n])/gc;
        $content .= $1;
    }
    return $content;
}

binmode $_ for *STDIN, *STDOUT;
my $zone = do { local $/; <STDIN> } // '';
my $state = { origin => lc $ARGV[0] };
my $lines = 0;
pos($zone) = 0;

while (pos $zone < length $zone) {
    my $begin = $lines + 1;
    next if eval { entry($state, scan(\$zone, \$lines)); 1 };
    die $@ unless ref $@;
    print "error $begin\n";
    exit 1;
}
