# An ordinary user, for tests that must not run as root.
#
# Included after cases.sh. `ordinary_prepare` finds a way to run commands as an ordinary user, or
# fails if there is none. It sets $ordinary to the command to put in front of others, which may be
# empty. As root, commands run as user 65534 in name spaces of their own: with a root directory that
# every user may enter, a small /tmp and /dev/shm of their own, and without access to other
# processes. $SCRATCH is there under its own name.

ordinary_prepare() {
    ordinary=()
    [ "$(id -u)" != 0 ] && return
    ordinary=(unshare -m -p -i -f --kill-child bash "$PWD/tests/lib/ordinary_root.sh" "$SCRATCH")
    chmod 755 "$(dirname "$SCRATCH")" "$SCRATCH"
    timeout 60 "${ordinary[@]}" true 2>/dev/null
}
