# Makes a transcript of gdb comparable: removes addresses, ids, directories, and everything that
# depends on whether the debug information of the C library is installed.
{
    gsub(/0x[0-9a-f]+/, "ADDR")
    gsub(/Thread (ADDR \(LWP [0-9]+\)|[0-9]+\.[0-9]+)/, "Thread N")
    gsub(/process [0-9]+/, "process N")
    gsub(/\$[0-9]+ = /, "= ")
    gsub(/ +/, " ")
    sub(/^track 0, .* event [0-9]+(, [0-9.]+s)?/, "at a moment")
    ours = /tests\/gdb\//
}
/^\[(Inferior|New Thread|Thread|Switching)/ || /^warning: / || /No such file or directory\.$/ { next }
/^[0-9]+\t(in )?\.[.\/]/ { next } # a line of a library's source
/^ADDR\t[0-9]+\t(in )?\.[.\/]/ { print "in a library"; next }
/^ [0-9]+ Thread N / { # a row of info threads: where others are is a matter of luck
    match($0, /"[^"]*"/)
    print substr($0, 1, RSTART + RLENGTH - 1)
    next
}
!ours && /^(#[0-9]+ )?(ADDR in )?([A-Za-z_][A-Za-z_0-9@.]*|\?\?) \(.*\)( (at|from) .*)?$/ {
    print "in a library"
    next
}
{ print }
