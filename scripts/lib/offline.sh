#!/usr/bin/env bash
# Installs a pack, does a chore and undoes it, as a person without a network would: by the
# command line, with nothing on the disk but the pack.   scripts/lib/offline.sh PROGRAM PACK
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/project.sh
. scripts/lib/progress.sh

if [ "${1-}" != inside ]; then
	own=(--user --map-current-user)
	[ "$(id -u)" -ne 0 ] || own=()
	exec unshare "${own[@]}" --net -- "$0" inside "$@"
fi
program=$2 pack=$3

links=$(tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' \n')
[ "$links" = lo ] || {
	say "there is a network: $links"
	exit 1
}

ring=${XDG_CONFIG_HOME:-$HOME/.config}/piwork/developer-keys.pem # which developer builds trust
disk=$(mktemp -d "${TMPDIR:-/tmp}/piwork-test.XXXXXX")
trap '"$program" serve --stop --cancel >/dev/null 2>&1; rm -rf "$disk"' EXIT
mkdir -p "$disk/config/piwork" "$disk/Trip"
mkdir -m 700 "$disk/run"
cp "$ring" "$disk/config/piwork/"
cp pack/tools/picture/testdata/{progressive.jpg,deep.png,a.bmp} "$disk/Trip"
cp -a "$disk/Trip" "$disk/before"
export HOME=$disk XDG_CONFIG_HOME=$disk/config XDG_DATA_HOME=$disk/data XDG_CACHE_HOME=$disk/cache XDG_RUNTIME_DIR=$disk/run

"$program" pack install "$pack"
"$program" run pictures-to-pdf --folder "$disk/Trip" --yes
[ "$(head -c 5 "$disk/Trip/Pictures.pdf")" = %PDF- ] || {
	say "Pictures.pdf is no PDF"
	exit 1
}
task=$("$program" task list --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -n 1)
"$program" task undo "$task" --yes
diff -r "$disk/before" "$disk/Trip"
