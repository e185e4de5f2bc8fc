# needs: sha256sum b2sum
cd $INPUT
for sum in cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum; do
    $sum binary words
done
base64 binary | md5sum; base32 binary | md5sum; od -A x -t x1z binary | tail -n 3
