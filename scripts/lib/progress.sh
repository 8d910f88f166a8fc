# shellcheck shell=bash
# Shared by the scripts that people wait for: a line for each step, with how long it takes and what it downloads.
# Needs project.sh.

times=$cache/times # how long each step took the last time, in seconds
mkdir -p "$times"

# downloaded prints how many bytes this computer has received, over every network card but lo.
downloaded() { awk -F'[: ]+' 'NR > 2 && $2 != "lo" { n += $3 } END { printf "%.0f", n }' /proc/net/dev; }

# span SECONDS prints them for people: 45 s, 2 min 05 s.
span() {
	if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# about KEY SECONDS prints how long a step took the last time, or else SECONDS.
about() { cat "$times/$1" 2>/dev/null || printf '%s\n' "$2"; }

# progress KEY SECONDS WHAT LOG COMMAND…: runs one step with its output in LOG, and one line that says how long
# it has taken, how long it will take, how much was downloaded and, on a terminal, what it is doing. KEY is the
# step's name in the record of times, SECONDS what is expected where nothing is recorded.
progress() {
	local key=$1 expected what=$3 log=$4 began=$SECONDS from ended=0 watcher=
	expected=$(about "$1" "$2")
	from=$(downloaded)
	shift 4
	if [ -t 2 ]; then
		watch_step "$what" "$expected" "$from" "$log" &
		watcher=$!
	elif [ "$expected" -gt 5 ]; then
		say "      $what: about $(span "$expected")"
	fi
	set +e # so that the shell stops at an error in the command, which it would not behind "||"
	(
		set -e
		"$@"
	) >"$log" 2>&1
	ended=$?
	set -e
	if [ -n "$watcher" ]; then
		kill "$watcher" 2>/dev/null || true
		wait "$watcher" 2>/dev/null || true
		printf '\r\033[K' >&2
	fi
	if [ "$ended" -ne 0 ]; then
		say "FAIL  $what, after $(span $((SECONDS - began))):"
		tail -n 30 "$log" >&2
		say "All of its output: $log"
		return "$ended"
	fi
	printf '%s\n' $((SECONDS - began)) >"$times/$key"
	say "ok    $what: $(span $((SECONDS - began)))$(loaded "$from")"
}

# loaded FROM says how much came since the count was FROM, and nothing of less than a megabyte.
loaded() {
	local bytes=$(($(downloaded) - $1))
	[ "$bytes" -lt 1000000 ] || printf ', %d MB downloaded' $((bytes / 1000000))
}

# watch_step draws the line of a step anew each second until it is killed.
watch_step() {
	local began=$SECONDS doing
	trap 'exit 0' TERM
	while sleep 1; do
		doing=$(tail -n 1 "$4" 2>/dev/null | tr -d '\r' | tr -c '[:print:]\n' ' ' | cut -c 1-60)
		printf '\r\033[K      %s: %s of about %s%s  %s' "$1" "$(span $((SECONDS - began)))" "$(span "$2")" "$(loaded "$3")" "$doing" >&2
	done
}
