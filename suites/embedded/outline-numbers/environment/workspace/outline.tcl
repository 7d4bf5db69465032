# Numbers an indented outline.
set number 0
while {[gets stdin line] >= 0} {
    puts "[incr number]. $line"
}
