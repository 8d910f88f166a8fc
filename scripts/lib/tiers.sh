# shellcheck shell=bash
# What each tier of ./scripts/test consists of. Needs jobs.sh.

# digest PATHSPEC… prints a digest of the files of the checkout that are meant, as they are now.
digest() {
	git ls-files -co --exclude-standard -- "$@" | LC_ALL=C sort | xargs -d '\n' sha256sum 2>/dev/null | sha256sum | cut -c 1-32
}

# unless_passed KEY COMMAND… runs a check, unless it passed before with the same KEY, which
# has to name all that the check depends on. --again runs it in any case.
unless_passed() {
	local mark
	mark=$cache/test/passed/$(printf '%s\n' "$*" | sha256sum | cut -c 1-32)
	shift
	if [ -z "${PIWORK_TEST_AGAIN:-}" ] && [ -e "$mark" ]; then
		say "passed before, and nothing changed since"
		touch "$mark"
		return
	fi
	"$@"
	mkdir -p "${mark%/*}"
	: >"$mark"
}

# go_test … is go test; with --again no result is taken from before. The house rules vet.
go_test() { go test -vet=off ${PIWORK_TEST_AGAIN:+-count 1} "$@"; }

# --- what a suite must not leave behind

# leftovers prints this user's QEMU processes that were started from a runtime pack,
# controllers in the background, mounts and files of piwork.
leftovers() {
	pgrep -u "$(id -u)" -af 'qemu-system-.*piwork\.rpc|piwork.* serve --background' || true
	mount | grep -E 'piwork-(vm|run|test)' || true
	find "${TMPDIR:-/tmp}" "${XDG_RUNTIME_DIR:-/nonexistent}" -maxdepth 1 -user "$(id -u)" \
		\( -name 'piwork-vm*' -o -name 'piwork-run*' -o -name 'pw-*' \) 2>/dev/null || true
}

nothing_left() {
	local end=$((SECONDS + 20)) # the promise is one second; a busy computer gets more
	while leftovers | grep -vxFf "$scratch/leftovers.before" >"$scratch/leftovers.after" && ((SECONDS < end)); do
		sleep 0.1
	done
	[ ! -s "$scratch/leftovers.after" ] || {
		say "left behind:"
		cat "$scratch/leftovers.after"
		return 1
	}
}

# --- unit

formatted() {
	local bad
	bad=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
	[ -z "$bad" ] || {
		say "gofmt would change:"
		say "$bad"
		return 1
	}
}

# no_dead_code fails on functions that no program and no test reaches. Left out are tests'
# own, what only encoding/json calls, and app/api/shell_other.go, which only the window uses:
# to read the window takes WebKit's headers.
no_dead_code() {
	local dead
	dead=$(go tool deadcode -test -tags vm,long ./...) || return
	dead=$(grep -v -e '^app/api/shell_other.go:' -e '_test.go:' -e 'UnmarshalJSON$' <<<"$dead") || true
	[ -z "$dead" ] || {
		say "$dead"
		return 1
	}
}

plan_unit() {
	local code
	code=$(digest '*.go' go.mod go.sum)
	job "formatting" "" formatted
	job "front end: packages" "" npm_ready
	job "the linter" "" ./scripts/setup --quiet --linter
	job "house rules" "the linter" golangci-lint run ./...
	job "front end: types, style, tests" "front end: packages" unless_passed "$(digest frontend app/sdk/typescript)" npm_run verify
	job "types for macOS and Windows" "" unless_passed "$code" go run ./scripts/lib/typecheck darwin windows
	job "go.mod is tidy" "" unless_passed "$code" go mod tidy -diff
	job "unit tests" "" unit_tests
	job "unit tests with the race detector" "" race_tests
}

# unit_tests are those of the packages that race_tests leaves out. The packages that take
# longest come first, and more of them at once than there are processors: they wait, too.
unit_tests() {
	# shellcheck disable=SC2046 # a list of words
	go_test -p 4 -timeout 20m ./vmhost/share/journal $(scripts/lib/racelist --others)
	unraced_tests
}

# unraced_tests plays the tests that race_tests leaves out (tier.Unraced), by their names.
unraced_tests() {
	local files names
	files=$(git grep -lF 'tier.Unraced(t)' -- '*_test.go')
	# shellcheck disable=SC2086 # a list of words
	names=$(awk -F '[ (]' '/^func / { name = $2 ~ /^Test/ ? $2 : "" } /tier\.Unraced\(t\)/ { if (name == "") exit 1; print name }' $files | paste -sd '|')
	# shellcheck disable=SC2046 # a list of words
	go_test -p 4 -timeout 20m -run "^($names)\$" $(xargs -n1 dirname <<<"$files" | sort -u | sed 's:^:./:')
}

race_tests() {
	# shellcheck disable=SC2046 # a list of words
	go_test -race -p 4 -timeout 20m ./vmhost/vm ./app $(scripts/lib/racelist)
}

# --- changed

# changed_packages REV prints the directories of the Go packages that have a file which differs
# from REV, and "all" where that cannot be told.
changed_packages() {
	{
		git diff --name-only "$1" --
		git ls-files -o --exclude-standard
	} | sort -u | while IFS= read -r file; do
		case "$file" in
		go.mod | go.sum | .golangci.yml)
			printf 'all\n'
			continue
			;;
		frontend/*) continue ;;
		esac
		dir=$(dirname "$file")
		# A file of testdata, or one that is embedded, belongs to the package above it.
		until [ -n "$(git ls-files -co --exclude-standard -- "$dir/*.go" | awk -v d="$dir" '{ sub("/[^/]*$", ""); if ($0 == d) print }')" ]; do
			[ "$dir" != . ] || break
			dir=$(dirname "$dir")
		done
		[ "$dir" = . ] || [ ! -d "$dir" ] || printf './%s\n' "$dir"
	done | sort -u
}

# importers_of DIR… prints these packages and those that import them, their tests too.
importers_of() {
	local paths
	paths=$(go list "$@" | paste -sd ' ')
	go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | awk -v paths="$paths" '
		BEGIN { n = split(paths, p, " "); for (i = 1; i <= n; i++) { want[p[i]]; print p[i] } }
		{ for (i = 2; i <= NF; i++) if ($i in want) { name = $1; sub(/(_test|\.test)$/, "", name); print name; break } }' | sort -u
}

plan_changed() {
	local packages tested
	packages=$(changed_packages "$rev")
	[ -z "$packages" ] || ! grep -qx all <<<"$packages" || packages=./...
	if [ -n "$packages" ]; then
		job "formatting" "" formatted
		job "the linter" "" ./scripts/setup --quiet --linter
		# shellcheck disable=SC2086 # a list of words
		job "house rules" "the linter" golangci-lint run $packages
		# shellcheck disable=SC2086 # a list of words
		tested=$(importers_of $packages)
		# shellcheck disable=SC2086 # a list of words
		job "Go tests" "" go_test -timeout 20m $tested
	fi
	git diff --quiet "$rev" -- frontend app/sdk/typescript && [ -z "$(git ls-files -o --exclude-standard frontend app/sdk/typescript)" ] || {
		job "front end: packages" "" npm_ready
		job "front end: types, style, tests" "front end: packages" npm_run verify
	}
	[ ${#job_names[@]} -gt 0 ] || say "Nothing that has tests differs from $rev."
}

# --- vm

# plan_pack plans the jobs that make and install the pack of a flavour.
plan_pack() {
	job "runtime pack, $1" "" make_pack "$1"
	job "the pack installs, $1" "runtime pack, $1" install_pack "$1"
}

# make_pack FLAVOUR builds the pack and notes where it is.
make_pack() {
	mkdir -p "$cache/test"
	./scripts/pack --flavour "$1" >"$cache/test/pack-$1"
}

# install_pack FLAVOUR has the program verify and install the pack, as its users would,
# in a directory that stays: its name is of its contents, so that `go test` can tell
# whether a test has seen them. Files that are as they were keep their times: saved
# machines are of them.
install_pack() {
	local data=$cache/test/data-$1 pack
	pack=$(cat "$cache/test/pack-$1")
	build_program cli "$cache/test/piwork"
	rm -rf "$data.new"
	PIWORK_DATA_DIR=$data.new "$cache/test/piwork" pack install "$pack"
	PIWORK_DATA_DIR=$data.new "$cache/test/piwork" serve --stop
	if ! diff -rq "$data.new/runtime" "$data/runtime" >/dev/null 2>&1; then
		rm -rf "$data"
		mv "$data.new" "$data"
	fi
	rm -rf "$data.new"
}

# offline FLAVOUR installs the pack where there is no network, does a chore and undoes it.
offline() {
	local pack
	pack=$(cat "$cache/test/pack-$1")
	unless_passed "$(sha256sum <"$cache/test/piwork") $(sha256sum <scripts/lib/offline.sh) $pack" scripts/lib/offline.sh "$cache/test/piwork" "$pack"
}

# make_room removes what tests kept of earlier packs, but for the three that were used last;
# and, where the disk is nearly full, what the compiler has not needed for four hours.
make_room() {
	local dir name
	for dir in "$cache"/test/keep/{templates,warmed,trees,person/{trees,environments,cache/environments}}; do
		[ -d "$dir" ] || continue
		# A tree is noted as used in a file beside it, of its name.
		ls -t "$dir" | sed -E 's/^(used|sum|agent)-//' | grep -E '^[0-9a-f]{16,}$' | awk '!seen[$0]++' | tail -n +4 | while read -r name; do
			chmod -R u+w "$dir/$name" 2>/dev/null || true
			rm -rf "$dir"/{,used-,sum-,agent-}"$name"
		done || true
	done
	if [ "$(df --output=avail -BG "$cache" | tail -n 1 | tr -dc 0-9)" -lt 15 ]; then
		say "Less than 15 GB free: removing what the compiler kept and has not needed for four hours."
		find "$(go env GOCACHE)" -type f -name '*-[ad]' -mmin +240 -delete
	fi
}

# with_pack FLAVOUR COMMAND… runs a command with the installed pack. Saved machines stay
# in a directory: their names say what they were made of. So do the columns of parity: where
# go test knows a result from before, that of then is still there.
with_pack() {
	local flavour=$1
	shift
	mkdir -p "$cache/test/keep"
	PIWORK_RUNTIME_DIR=$(installed_pack "$cache/test/data-$flavour") PIWORK_TEST_ADDON_STORES=$cache/test/data-$flavour/addons PIWORK_TEST_PACK=$(cat "$cache/test/pack-$flavour") PIWORK_TEST_KEEP=$cache/test/keep PIWORK_TEST_PARITY=$cache/test/parity/$flavour PIWORK_BIN=$cache/test/piwork "$@"
}

# vm_tests TAGS runs the tests in files with the build tag vm, two packages at a time:
# a machine in slow mode keeps one processor busy, and no more. With the tag long, too,
# they play what an ordinary run leaves to ./scripts/test all (scripts/lib/tier).
vm_tests() {
	local tags=$1 files names
	files=$(git grep -lE '^//go:build .*\bvm\b' -- '*_test.go')
	names=$(xargs grep -hoP '^func \KTest\w+(?=\(t )' <<<"$files" | sort -u | paste -sd '|')
	# The packages that take longest come first: at the end nobody waits for one of them.
	{
		printf '%s\n' vmhost/vm app pack/guest/guestvm vmhost/qemu
		xargs -n1 dirname <<<"$files"
	} | awk '!seen[$0]++ { print "./" $0 }' |
		xargs go test -vet=off ${PIWORK_TEST_AGAIN:+-count 1} -tags "$tags" -run "^($names)\$" -p 2 -timeout 120m
}

# real_pi plays every recorded session of app/agent again with the pi and the Node
# that the pack was made of.
real_pi() {
	local programs
	for programs in $(ls -dt "$cache"/parts/programs-*/opt/piwork); do # those of another processor don't run
		! "$programs/node/bin/node" --version >/dev/null 2>&1 || break
	done
	PIWORK_PI=$programs/pi PIWORK_NODE=$programs/node/bin/node go_test -run Real ./app/agent ./pack/guest/agentkit
}

plan_vm() {
	plan_pack stock
	job "the pack at work without a network" "the pack installs, stock" offline stock
	job "tests in the virtual machine" "the pack installs, stock" with_pack stock vm_tests vm
	job "every kind of place gives the same" "tests in the virtual machine" with_pack stock go run ./scripts/lib/paritytable
	job "the pack's pi speaks as it was recorded" "runtime pack, stock" real_pi
}

# --- e2e

plan_e2e() {
	local pages
	pages=$(digest frontend app/sdk/typescript)
	plan_pack stock
	job "front end: packages" "" npm_ready
	light job "front end: built" "front end: packages" build_frontend
	job "the program with its window builds" "front end: built" build_program e2e "$cache/test/piwork-window"
	light job "every screen: for everybody, enlarged, in both languages" "front end: built" unless_passed "$pages" e2e_page axe
	light job "screens in the engine of the window" "front end: built" unless_passed "$pages" e2e_page webkit
	light job "downloads over a network that fails, what stands in the way" "the program with its window builds|runtime pack, stock" e2e stock download setup
	job "the window with a real machine: pages, an AI task, the real window" "the program with its window builds|runtime pack, stock" e2e stock browser ai window
}

# e2e_page NAME … runs a script of frontend/e2e with an invented controller.
e2e_page() {
	export PIWORK_E2E_SHOTS=$cache/e2e # what the screen showed, also when a test fails
	mkdir -p "$PIWORK_E2E_SHOTS"
	node "frontend/e2e/$1.mjs" "${@:2}"
}

# e2e FLAVOUR NAME… runs scripts of frontend/e2e with the real program and a pack.
e2e() {
	export PIWORK_E2E_SHOTS=$cache/e2e PIWORK_BIN=$cache/test/piwork-window PIWORK_TEST_PACK
	PIWORK_TEST_PACK=$(cat "$cache/test/pack-$1")
	mkdir -p "$PIWORK_E2E_SHOTS"
	unless_passed "$(digest frontend app/sdk/typescript) $(sha256sum <"$PIWORK_BIN") $PIWORK_TEST_PACK" node frontend/e2e/run.mjs "${@:2}"
}

# --- all

# vet_systems: what is compiled for vet alone is not optimised.
vet_systems() {
	local system
	for system in linux darwin windows; do GOOS=$system CGO_ENABLED=0 go vet "-gcflags=all=-N -l" ./...; done
}

# fuzz_all runs each fuzz target for a while, unless it was with the very same code. What it
# finds on the way stays in Go's build cache; an input that fails is written to the package's
# testdata.
fuzz_all() {
	local targets dir name of="" key="" ended=0
	targets=$(go run ./scripts/lib/fuzzlist)
	while read -r dir name; do
		if [ "$dir" != "$of" ]; then
			of=$dir key=$(sources "$dir")
		fi
		set +e # an error ends this one alone; behind "||" it would not
		(set -e && unless_passed "$key $name ${PIWORK_TEST_FUZZ:-30s}" fuzz "$dir" "$name")
		[ $? -eq 0 ] || ended=1
		set -e
	done <<<"$targets"
	return "$ended"
}

# sources PACKAGE prints a digest of all that a package and its tests are made of.
sources() {
	local dirs
	dirs=$(go list -test -deps -f '{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}' "$1" | sort -u)
	# shellcheck disable=SC2086 # a list of words
	digest go.mod go.sum $dirs
}

# fuzz PACKAGE NAME: a name that nothing in its package has is no success, as it is to go test.
fuzz() {
	local said=$scratch/fuzzed
	go test -run '^$' -fuzz "^$2\$" -fuzztime "${PIWORK_TEST_FUZZ:-30s}" "$1" 2>&1 | tee "$said"
	! grep -qF -e 'no fuzz tests to fuzz' -e '[no test files]' "$said" || {
		say "$2 of $1 was not fuzzed: no test has this name"
		return 1
	}
	fuzz_coverage "$@"
}

# fuzz_coverage PACKAGE NAME says how much of the package all inputs reach that fuzzing has kept,
# here and before: go test counts nothing while it fuzzes, and takes only seeds when it counts. So
# its program runs in a directory in which what was kept are seeds.
fuzz_coverage() {
	local at=$scratch/coverage kept f
	kept=$(go env GOCACHE)/fuzz/$(go list "$1")/$2
	rm -rf "$at"
	mkdir -p "$at/testdata/fuzz/$2"
	for f in "$1"/* "$1"/testdata/*; do
		case $f in
		*/testdata | */testdata/fuzz | *'/*') ;;
		*) ln -s "$PWD/${f#./}" "$at${f#"$1"}" ;;
		esac
	done
	for f in "$1/testdata/fuzz/$2"/* "$kept"/*; do
		[ ! -f "$f" ] || cp "$f" "$at/testdata/fuzz/$2/"
	done
	go test -c -cover -o "$at/covered.test" "$1"
	(cd "$at" && ./covered.test -test.run "^$2\$" -test.timeout 5m) | sed -n "s/^coverage:/$2, $(find "$at/testdata/fuzz/$2" -type f | wc -l) inputs:/p"
}

# fuzz_api uses a real process as hostile and hasty programs would, by the document of its API.
fuzz_api() {
	go build -o "$cache/test/apifuzz" ./scripts/lib/apifuzz
	TMPDIR=$cache/test "$cache/test/apifuzz" -program "$cache/test/piwork" -pack "$(cat "$cache/test/pack-stock")" -d "${PIWORK_TEST_FUZZ_API:-30m}" -seed "$(date +%j)"
}

check_mcp() { scripts/lib/mcpcheck/check.sh "$cache/test/piwork" "$(cat "$cache/test/pack-stock")"; }

# e2e_every NAME… is e2e_page with every instance of what a script checks.
e2e_every() {
	local name
	for name in "$@"; do e2e_page "$name" --all; done
}

# long_tests TAGS REGEXP PACKAGE… runs tests that the default leaves out. Those that have the go
# command build programs are run anew, which it does not know of (go help test).
long_tests() {
	local tags=$1 names=$2
	shift 2
	go_test -tags "$tags" -run "$names" -p 1 -timeout 120m "$@"
}

# with VARIABLE VALUE COMMAND… runs a command with a variable, which may be a function.
with() {
	export "$1=$2"
	"${@:3}"
}

# install_addons FLAVOUR builds the add-ons that tasks are tested with, which takes minutes,
# and installs them.
install_addons() {
	local data=$cache/test/data-$1 addon
	./scripts/pack --flavour "$1" --addons browser,opencode | tail -n 2 | while read -r addon; do
		PIWORK_DATA_DIR=$data "$cache/test/piwork" pack install "$addon"
	done
	PIWORK_DATA_DIR=$data "$cache/test/piwork" serve --stop
}

# swift_sdk tests the SDK for Swift as those of the other languages, and with them.
swift_sdk() {
	local dir
	dir=$(go run ./scripts/lib/swiftroom) || return
	PIWORK_TEST_SWIFT=$dir go test -tags "vm long" -run '^(TestSDKs|TestReadme)' -count 1 -timeout 30m ./app/sdk
}

# own_jobs are tests with the tag long that have a job of their own; TestPOSIX is a program that
# TestSuites has the guest run.
own_jobs='TestRoom|ForARM64|UnderWine|Reproducible|TestSuites|TestSQLite|TestPOSIX|^TestModel'

# once JOB… plans a job of plan_all, which takes hours: what passed with the very same files is not
# run again, so that one may end ./scripts/test all and go on later; of tests in Go and of fuzzing,
# only what a change concerns is. They are those of pages, or all
# others, as the variable files says.
once() { job "$1" "$2" unless_passed "$files ${PIWORK_TEST_FUZZ:-} ${PIWORK_TEST_FUZZ_API:-} ${PIWORK_TEST_FUZZ_DEVICE:-}" "${@:3}"; }

plan_all() {
	local files pages
	files=$(digest . ':!frontend')
	pages=$(digest frontend app/sdk/typescript)
	alone once "vet for three systems" "" vet_systems
	once "no dead code" "" no_dead_code
	alone once "every row of the unit tests, with the race detector" "" \
		go test -race -tags long -skip "$own_jobs" -timeout 120m ./...
	alone once "every step at which a change of files can be interrupted" "" go test -tags long -run '^TestCrash' -timeout 120m ./vmhost/share/journal
	alone once "every short history, and a million others" "" go test -tags long -run '^TestModel' -timeout 24h ./vmhost/share/journal
	alone once "planted faults are found" "the pack installs, stock" with_pack stock go run ./scripts/lib/mutants
	alone once "each parser is fuzzed" "" fuzz_all
	alone once "the local API is fuzzed, and leaves nothing" "the pack installs, stock" fuzz_api
	once "MCP, by the Inspector and the protocol's conformance suite" "the pack installs, stock" check_mcp
	files=$pages alone once "every screen in both engines, themes and sizes" "front end: built" e2e_every axe webkit
	alone job "the window with a real machine, every story" "the program with its window builds|runtime pack, stock" e2e stock --all download setup browser ai window
	alone once "the SDK for Swift" "the pack installs, stock" with_pack stock swift_sdk
	plan_pack own
	job "add-ons install, own" "the pack installs, own" install_addons own
	alone once "tests in the virtual machine, own" "add-ons install, own" with_pack own vm_tests "vm long"
	job "every kind of place gives the same, own" "tests in the virtual machine, own" with_pack own go run -tags long ./scripts/lib/paritytable
	alone once "other people's tests of file systems on shared folders" "the pack installs, own" \
		with_pack own long_tests long 'TestSuites|TestSQLite' ./vmhost/vm/suites
	alone once "rooms that build, a pack for arm64, the pack for Windows under Wine" "runtime pack, own" \
		with PIWORK_TEST_AGAIN 1 long_tests long 'TestRoom|ForARM64|UnderWine' ./pack/image/...
	alone once "every add-on at work" "the pack installs, own" \
		with_pack own with PIWORK_TEST_ADDONS all long_tests "vm long" '^TestAddOns$' ./pack/image
	alone once "operations on every format" "the pack installs, own" \
		with_pack own with PIWORK_TEST_OPERATIONS all long_tests "vm long" '^TestOperations$' ./pack/guest/guestvm
	alone once "5000 files tidied, and a chore of 5000 files killed and gone on with" "the pack installs, own" \
		with_pack own with PIWORK_TEST_FILES 5000 long_tests "vm long" '^(TestRealChoresAtScale|TestRealResumeAfterKill)$/^(cleanup-downloads)?$' ./app
	alone once "two builds of the pack are the same bytes" "runtime pack, own" with PIWORK_TEST_AGAIN 1 long_tests long Reproducible ./pack/...
}
