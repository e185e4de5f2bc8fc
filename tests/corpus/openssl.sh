# openssl: digests, ciphers, keys, certificates, big numbers: what vector code is made for.
# share: check
# needs: openssl

run() {
    seq 100000 >data
    for d in md5 sha1 sha256 sha512 sha3-256 blake2b512; do openssl dgst -$d data; done
    for c in aes-128-cbc aes-256-ctr chacha20 camellia-128-cbc; do
        openssl enc -$c -pass pass:x -pbkdf2 -S 0102030405060708 -in data | tee e | sha256sum
        openssl enc -d -$c -pass pass:x -pbkdf2 -S 0102030405060708 -in e | cmp - data && echo same
    done
    openssl genrsa -out key 1024 2>/dev/null; openssl rsa -in key -pubout -out pub 2>/dev/null
    openssl dgst -sha256 -sign key -out sig data; openssl dgst -sha256 -verify pub -signature sig data
    for curve in prime256v1 secp384r1; do
        openssl ecparam -name $curve -genkey -noout -out ec
        openssl req -new -x509 -key ec -subj /CN=$curve -days 10 -out cert 2>/dev/null
        openssl x509 -in cert -noout -subject; openssl verify -CAfile cert cert
    done
    openssl genpkey -algorithm ed25519 -out ed; openssl pkey -in ed -pubout -out edp
    openssl pkeyutl -sign -inkey ed -rawin -in pub -out s; openssl pkeyutl -verify -pubin -inkey edp -rawin -in pub -sigfile s
    openssl prime 1000003; openssl rand 16 | wc -c; openssl enc -d -aes-128-cbc -k x -in data 2>/dev/null | wc -c
}
