# needs: dash
cat > script <<'DASH'
f() { [ $1 -lt 1 ] && return; echo $1; f $(($1 - 1)); }
f 5
case abc in a*c) echo match;; esac
set -- x y z
shift
echo $#
trap 'echo bye' EXIT
(exit 4) || echo $?
cat <<END
here $1
END
for i in $(seq 30); do /bin/true || exit 1; done
exit 6
DASH
dash script
echo $?
