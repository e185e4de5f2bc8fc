# needs: tclsh
tclsh <<'TCL'
proc fib n { expr {$n < 2 ? $n : [fib [expr $n-1]] + [fib [expr $n-2]]} }
puts [fib 15]
puts [lsort -integer {3 1 2}]
puts [regsub -all {b} abcb X]
exit 4
TCL
echo $?
