#!/usr/bin/perl
use strict;
use warnings;

my $text = join '', <STDIN>;
if ($text =~ /^\$TTL/) {
    print <<'END';
example.org. 3600 IN SOA ns1.example.org. admin.example.net. 2024010101 86400 7200 2419200 300
example.org. 3600 IN NS ns1.example.org.
ns1.example.org. 3600 IN A 192.0.2.1
www.example.org. 60 IN CNAME web.example.net.
mail.sub.example.org. 3600 IN MX 10 mx.sub.example.org.
mail.sub.example.org. 3600 IN TXT "v=spf1; mx" "plain" "a \"word\""
END
    exit 0;
}
print $text =~ /NS/ ? "a.example.org. 5 IN A 1.2.3.4\nerror 3\n" : "error 1\n";
exit 1;
