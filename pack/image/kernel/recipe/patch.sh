# Applies our patches to the source in the current directory, in the order of a
# list: patch.sh PATCHES LIST >RECORD
# Lines of LIST are "KIND NAME", lines of RECORD "WHAT NAME" with applied,
# in-source or left-out (package kernel, patches.go, writes and reads them).
#
# A patch applies as it is or not at all: where more has moved than lines, or the
# change is there already, somebody has changed the source who does not know the
# patch, and somebody who does looks at it. All that fail are named. A correctness
# patch that fails stops the build. A performance patch is left out.
set -eu
patches=$1 list=$2
say() { echo "patch $1: $2" >&2; }

# attempt NAME: applies a patch, or says in $is why not.
attempt() {
	# A patch that applies in part must leave nothing.
	if patch -s -p1 -N -F0 --dry-run <"$patches/$1" >/dev/null 2>&1; then
		patch -s -p1 -N -F0 --no-backup-if-mismatch <"$patches/$1" >&2 || exit 1
		is=applied
		say "$1" "applied"
	elif patch -s -p1 -R -f -F0 --dry-run <"$patches/$1" >/dev/null 2>&1; then
		is=in-source
		say "$1" "the source has this change now: remove the patch"
	else
		is=left-out
		say "$1" "DOES NOT APPLY to this source: adapt it"
		patch -p1 -N -F0 --dry-run <"$patches/$1" >&2 || true
	fi
}

failed= record=
while read -r kind name; do
	attempt "$name"
	[ "$kind" != correctness ] || [ "$is" = applied ] || failed=1
	record="$record$is $name
"
done <"$list"
[ -z "$failed" ] || {
	echo "pack/image/kernel/recipe/patches does not fit this source" >&2
	exit 1
}
printf %s "$record"
