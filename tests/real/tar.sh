# needs: tar
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - -C $INPUT . | md5sum
tar -czf a.tgz -C $INPUT words table; tar -tzf a.tgz; mkdir x; tar -xzf a.tgz -C x
cmp x/words $INPUT/words && echo same; tar -xf /dev/null; echo $?
