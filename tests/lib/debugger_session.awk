# Makes a transcript of ebb's debugger comparable: removes addresses, ids, times, and everything
# that depends on the compiler's choice of instructions or on whether the debug information of the C
# library is installed.
{
    gsub(/0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+/, "ADDR")
    gsub(/moment [0-9]+:ADDR/, "moment N")
    gsub(/^[0-9]+,ADDR,/, "TICK,ADDR,")
    gsub(/  tick [0-9]+ +[0-9]+$/, "  tick N to N")
    gsub(/[(]tick [0-9]+ to [0-9]+(, (at )?[0-9]+%( to [0-9]+%)?)?[)]/, "(tick N to N)")
    gsub(/process [0-9]+/, "process N")
    gsub(/[+][0-9]+>/, "+N>")
    gsub(/[+][0-9]+ at /, "+N at ")
    sub(/[+][0-9]+; nothing of the call/, "+N; nothing of the call")
    sub(/[(]it was at [^)]*[)]/, "(it was somewhere)")
    sub(/ADDR <[^>]*>:/, "ADDR:")
    sub(/^the track has events 0 to [0-9]+/, "the track has events 0 to N")
    sub(/the outermost is [0-9]+/, "the outermost is N")
    sub(/^tick .*/, "tick N")
    sub(/^(event|time) .*/, "at a time")
}
/^From [0-9]+:ADDR/ { gsub(/[0-9]+:ADDR/, "N:ADDR") }
/^  stack: / { if (stack) next; print "  stack: N bytes"; stack = 1; next }
{ stack = 0 }
/ of memory differs?, / { sub(/[0-9]+ bytes? of memory differs?, [0-9]+/, "N bytes of memory differ, N") }
/^    by / && !/tests\/debugger/ { sub(/by .*, thread/, "by a library, thread") }
/moment N$/ && !/tests\/debugger/ { sub(/  [^ ]+( in [^ ]+)?, thread/, "  in a library, thread") }
/^[*] [0-9]+ +[0-9]+ / { $3 = "TID" }
/^  [0-9]+ +[0-9]+ +[^ 0-9]+ .*(runs)?$/ && !/^  +[0-9]+  / { $2 = "TID" }
/^[^ #]+ \(.*\) (at [.][.]?\/|from \/)/ { print "in a library"; next }
/^in .*, called from frame [0-9]+:$/ { print "in a library, called from"; next }
/^ADDR in [?][?]/ || /^_start/ || /ld-linux/ { print "in a library"; next }
{ print }
