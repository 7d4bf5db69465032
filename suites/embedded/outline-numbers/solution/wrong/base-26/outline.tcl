# Numbers an indented outline.
fconfigure stdin -encoding utf-8
fconfigure stdout -encoding utf-8

# A number in letters: a to z, aa, ab, ...
proc letters {number} {
    set text ""
    while {$number > 0} {
        set text [format %c [expr {96 + $number % 26}]]$text
        set number [expr {$number / 26}]
    }
    return $text
}

proc written {number style} {
    switch -- $style {
        a { return [letters $number] }
        A { return [string toupper [letters $number]] }
        default { return $number }
    }
}

# The column at which the text of a line begins.
proc indentation {line} {
    set column 0
    foreach char [split $line ""] {
        switch -- $char {
            " " { incr column }
            "\t" { set column [expr {($column / 4 + 1) * 4}] }
            default { break }
        }
    }
    return $column
}

foreach style $argv {
    if {$style ni {1 a A}} {
        puts stderr "unknown style: $style"
        exit 2
    }
}

set output ""
set columns {}
set counts {}
set number 0
while {[gets stdin line] >= 0} {
    incr number
    set text [string trim $line " \t"]
    if {$text eq ""} continue
    set column [indentation $line]
    if {[llength $columns] == 0 || $column > [lindex $columns end]} {
        lappend columns $column
        lappend counts 0
    } else {
        set level [lsearch -exact -integer $columns $column]
        if {$level < 0} {
            puts stderr "line $number: no line above is indented like this one"
            exit 1
        }
        set columns [lrange $columns 0 $level]
        set counts [lrange $counts 0 $level]
    }
    lset counts end [expr {[lindex $counts end] + 1}]
    append output [string repeat "  " [expr {[llength $counts] - 1}]]
    set level 0
    foreach count $counts {
        append output [written $count [lindex $argv $level]] .
        incr level
    }
    append output " " $text \n
}
puts -nonewline $output
