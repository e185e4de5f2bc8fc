# needs: file
file -b $INPUT/words /bin/sh | cut -d, -f1 ; file -b --mime $INPUT/binary | cut -d';' -f1
