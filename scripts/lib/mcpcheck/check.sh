#!/usr/bin/env bash
# Uses `piwork mcp` with the command line of the MCP Inspector and with the protocol's
# conformance suite, in a place of its own:   scripts/lib/mcpcheck/check.sh PROGRAM PACK
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
. scripts/lib/project.sh
. scripts/lib/progress.sh
program=$1 pack=$2

# Scenarios that need no tool, resource or prompt of the suite's own; the others do.
scenarios=(server-initialize ping logging-set-level tools-list resources-list prompts-list server-sse-polling server-sse-multiple-streams dns-rebinding-protection)

installed=$cache/npm/mcpcheck-$(sha256sum <"$here/package-lock.json" | cut -c 1-16)
[ -e "$installed/done" ] || {
	step "The Inspector and the conformance suite"
	rm -rf "$installed"
	mkdir -p "$installed"
	cp "$here"/{package.json,package-lock.json,.npmrc} "$installed"
	(cd "$installed" && npm ci --ignore-scripts --loglevel=error) >&2
	: >"$installed/done"
}

ring=${XDG_CONFIG_HOME:-$HOME/.config}/piwork/developer-keys.pem # which developer builds trust
disk=$(mktemp -d "${TMPDIR:-/tmp}/piwork-test.XXXXXX")
trap 'kill $(jobs -p) 2>/dev/null; wait; "$program" serve --stop --cancel >/dev/null 2>&1; rm -rf "$disk"' EXIT
mkdir -p "$disk/.config/piwork" "$disk/Trip"
cp "$ring" "$disk/.config/piwork/"
printf 'buy milk\n' >"$disk/Trip/notes.md"
export HOME=$disk
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR # the Inspector passes them to no server
"$program" pack install "$pack"

# first_line FILE waits for a line that a process writes when it is ready.
first_line() {
	local tries=0
	until grep -q . "$1"; do
		[ $((tries += 1)) -le 600 ] || return 1
		sleep 0.1
	done
	head -n 1 "$1"
}

"$program" mcp --format '{{.url}} {{.token}}' --http 127.0.0.1:0 --folder "$disk/Trip:rw" >"$disk/served" &
read -r url token <<<"$(first_line "$disk/served")"
node "$here/bearer.mjs" "$url" "$token" >"$disk/bearer" &
url=$(first_line "$disk/bearer")
for scenario in "${scenarios[@]}"; do
	say "conformance: $scenario"
	"$installed/node_modules/.bin/conformance" server --url "$url/mcp" --scenario "$scenario" >"$disk/said" 2>&1 || {
		cat "$disk/said"
		exit 1
	}
done

# inspect WANT ARGUMENT… asks as the Inspector does, of a server that it starts itself.
inspect() {
	local want=$1
	shift
	say "inspector: $*"
	"$installed/node_modules/.bin/mcp-inspector" --cli -e PIWORK_ACCEL="${PIWORK_ACCEL-}" "$program" mcp --folder "$disk/Trip:rw" "$@" >"$disk/said" 2>&1 && grep -qF "$want" "$disk/said" || {
		cat "$disk/said"
		exit 1
	}
}

inspect '"run_command"' --method tools/list
inspect '"resources"' --method resources/list
inspect '"prompts"' --method prompts/list
inspect 'buy milk' --method tools/call --tool-name run_command --tool-arg 'command=cat /folders/Trip/notes.md'
