# needs: openssl
for digest in md5 sha1 sha256 sha512 sha3-256 blake2b512; do
    openssl dgst -$digest < $INPUT/big | sed 's/.*= //'
done
key=000102030405060708090a0b0c0d0e0f iv=0102030405060708090a0b0c0d0e0f10
openssl enc -aes-128-cbc -K $key -iv $iv -in $INPUT/binary | md5sum
openssl enc -aes-256-ctr -K $key$key -iv $iv -in $INPUT/binary | md5sum
openssl enc -chacha20 -K $key$key -iv $iv -in $INPUT/binary | md5sum
openssl enc -camellia-128-cbc -K $key -iv $iv -in $INPUT/binary | md5sum
password='-aes-256-cbc -pbkdf2 -pass pass:x -S 0102030405060708'
echo secret | openssl enc $password | openssl enc -d $password
echo $?
openssl genrsa -out key 1024
openssl rsa -in key -check -noout
openssl rsa -in key -pubout -out pub
openssl dgst -sha256 -sign key -out sig $INPUT/words
openssl dgst -sha256 -verify pub -signature sig $INPUT/words
openssl ecparam -name prime256v1 -genkey -noout -out ec
openssl req -new -x509 -key ec -subj /CN=test -days 10 -out cert
openssl x509 -in cert -noout -subject
openssl verify -CAfile cert cert
openssl prime 1000003
openssl rand 16 | wc -c
