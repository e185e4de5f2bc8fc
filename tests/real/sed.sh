# needs: sed
sed -n 's/\(.*\)a\(.*\)/\2-\1/p' $INPUT/words | head -n 5
sed -E '1,3d; s/([aeiou])/<\1>/2g; y/xyz/XYZ/; $!N; P; D' $INPUT/words | md5sum
cp $INPUT/words w; sed -i.bak 's/a/b/' w; cmp w w.bak | wc -c; sed '/b/{h;d};x;G' w | md5sum
sed 's/[/' w; echo $?
