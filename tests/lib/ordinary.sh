# An ordinary user, for tests that must not run as root.
#
# Included after cases.sh.  `ordinary_prepare` finds a way and leaves it in $ordinary: a command to put
# in front of others, perhaps empty.  It is false if there is none.  As root, commands run as user 65534
# in name spaces of their own: with a root directory that everybody may enter, a small /tmp and /dev/shm
# that no one else has, and no sight of other processes.  $SCRATCH is there under its own name.

ordinary_prepare() {
    ordinary=()
    [ "$(id -u)" != 0 ] && return
    ordinary=(unshare -m -p -i -f --kill-child bash "$PWD/tests/lib/ordinary_root.sh" "$SCRATCH")
    chmod 755 "$(dirname "$SCRATCH")" "$SCRATCH"
    timeout 60 "${ordinary[@]}" true 2>/dev/null
}
