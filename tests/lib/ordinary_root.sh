# ordinary_root.sh SCRATCH COMMAND...: the part of ordinary.sh that runs as the first process of the
# new name spaces.
set -eu
scratch=$1
shift
root=$scratch/root
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$root"
mount -t tmpfs -o mode=755 ebb-root "$root"
for entry in /*; do
    name=${entry#/}
    case $name in
    proc | tmp) continue ;;
    esac
    if [ -L "$entry" ]; then
        cp -d "$entry" "$root/$name"
    elif [ -d "$entry" ]; then
        mkdir "$root/$name"
        mount --rbind "$entry" "$root/$name"
    fi
done
mkdir "$root/proc" "$root/tmp"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777,size=256m ebb-tmp "$root/tmp"
mount -t tmpfs -o mode=1777,size=32m ebb-shm "$root/dev/shm"
mknod -m 666 "$root/null" c 1 3 # whatever the mode of the machine's own is
mount --bind "$root/null" "$root/dev/null"
mkdir -p "$root$scratch"
mount --bind "$scratch" "$root$scratch"
case $top in
/tmp/*) mkdir -p "$root$top" && mount --bind "$top" "$root$top" ;;
esac
exec chroot "$root" setpriv --reuid=65534 --regid=65534 --clear-groups \
    env -C "$scratch" HOME="$scratch" TMPDIR=/tmp "$@"
