# Applies every patch of a directory to the source in the current directory:
# patch.sh PATCHES
# A patch applies as it is or not at all: where more has moved than lines, or the
# change is there already, somebody has changed the source who does not know the
# patch, and somebody who does looks at it. All that fail are named.
set -eu
failed=
for p in "$1"/*.patch; do
	[ -e "$p" ] || continue # there is none
	name=$(basename "$p")
	# A patch that applies in part must leave nothing.
	if patch -s -p1 -N -F0 --dry-run <"$p" >/dev/null 2>&1; then
		patch -s -p1 -N -F0 --no-backup-if-mismatch <"$p"
		echo "patch $name: applied" >&2
	elif patch -s -p1 -R -f -F0 --dry-run <"$p" >/dev/null 2>&1; then
		echo "patch $name: the source has this change now: remove the patch" >&2
		failed=1
	else
		echo "patch $name: DOES NOT APPLY to this source: adapt it" >&2
		patch -p1 -N -F0 --dry-run <"$p" >&2 || true
		failed=1
	fi
done
[ -z "$failed" ] || {
	echo "pack/image/kernel/recipe/patches does not fit this source" >&2
	exit 1
}
