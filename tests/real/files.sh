# needs: cp mv stat find
cp -r $INPUT tree; cd tree; mkdir -p a/b/c; mv words a/b; ln -s ../words a/link; ln table a/b/c/hard
touch -d '2020-01-02 03:04:05' table; stat -c '%n %s %h %F %Y' table; stat -c '%N' a/link
chmod 640 table; stat -c %A table; truncate -s 12345 sparse; stat -c %s sparse
dd if=binary bs=1k count=3 skip=2 status=none | md5sum
find . -type f -size +1k -printf '%p %s\n' | sort; find . -name 'h*' -o -type l | sort
readlink -f a/b/c/../../link | grep -c words; realpath --relative-to=. a/b/c
split -n 3 -d table part; cat part* | cmp - table && echo same
du -a --apparent-size a | sort | tail -n 2 | cut -f2; ls -1R | head -n 30; rm -r a; ls
rmdir nothing; echo $?
