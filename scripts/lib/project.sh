# shellcheck shell=bash
# Shared by the scripts: where things are cached, and how the program and the front end are built.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/piwork-build
mkdir -p "$cache/bin"

# What is compiled does not depend on where the checkout is: the pack, the program, the linter
# and the tests have it from one cache, and so has the next checkout.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath"

say() { printf '%s\n' "$*" >&2; }
step() { printf '\n== %s\n' "$*" >&2; }

# heavy WHAT ABOUT COMMAND…: says what takes long, about how long, and how long
# it took.
heavy() {
	local what=$1 about=$2 start=$SECONDS
	shift 2
	say "$what (about $about)"
	"$@"
	say "$what: done in $((SECONDS - start)) s"
}

# use_tools puts the tools that scripts/setup installed before those of the system.
use_tools() {
	export PATH="$cache/bin:$PATH"
	[ ! -x "$cache/bin/sshd/usr/sbin/sshd" ] || export PIWORK_TEST_SSHD="$cache/bin/sshd/usr/sbin/sshd"
	[ ! -x "$cache/bin/uml/usr/bin/linux.uml" ] || export PIWORK_TEST_UML="$cache/bin/uml"
}

# npm_ready installs the front end's packages when the lock file changed.
npm_ready() {
	local key
	key=$(sha256sum frontend/package-lock.json | cut -d' ' -f1)
	[ "$(cat frontend/node_modules/.installed-for 2>/dev/null)" = "$key" ] && return
	step "Front-end packages"
	(cd frontend && npm ci --no-audit --no-fund --loglevel=error) >&2
	printf '%s\n' "$key" >frontend/node_modules/.installed-for
}

npm_run() { (cd frontend && npm run --silent "$1") >&2; }

# build_frontend makes frontend/dist when its sources changed.
build_frontend() {
	local key
	key=$(git ls-files -co --exclude-standard frontend ':!frontend/e2e' | LC_ALL=C sort | xargs -d '\n' sha256sum 2>/dev/null | sha256sum | cut -d' ' -f1)
	[ -e frontend/dist/index.html ] && [ "$(cat frontend/dist/.built-for 2>/dev/null)" = "$key" ] && return
	npm_ready
	step "Front end"
	npm_run build
	printf '%s\n' "$key" >frontend/dist/.built-for
}

# build_program KIND OUT: KIND is cli (no window, no cgo), desktop, or e2e
# (desktop with the hooks that tests need). PIWORK_BUILD says what for: developer
# (default), which trusts the developer key ring of the computer that it runs on,
# or release, which trusts the root that is compiled in and needs one.
build_program() {
	local kind=$1 out=$2 build=${PIWORK_BUILD:-developer} tags= cgo=1
	local ldflags="-s -w -X piwork/app/cli.version=$(program_version)"
	case "$kind" in
	cli) cgo=0 ;;
	desktop) tags=desktop,production,webkit2_41 ;;
	e2e) tags=desktop,production,webkit2_41,e2e,devtools ;; # the tests ask the web view through its inspector
	esac
	case "$build" in
	developer) ;;
	release)
		[ "$kind" != e2e ] || { say "A release has no hooks for tests: build cli or desktop"; return 2; }
		CGO_ENABLED=0 go run -buildvcs=false ./scripts/lib/release ready pack/trust/keys || return
		tags=${tags:+$tags,}release
		;;
	*)
		say "PIWORK_BUILD is developer or release, not $build"
		return 2
		;;
	esac
	[ "$kind" = cli ] || build_frontend
	mkdir -p "$(dirname "$out")"
	CGO_ENABLED=$cgo go build -trimpath -buildvcs=false -tags "$tags" -ldflags "$ldflags" -o "$out" .
}

# build_manpages DIR writes the manual pages of every command: DIR/man1, and DIR/de/man1.
build_manpages() {
	LC_ALL=C CGO_ENABLED=0 go run -buildvcs=false ./scripts/lib/manpages en "$1"
	LC_ALL=de_DE.UTF-8 CGO_ENABLED=0 go run -buildvcs=false ./scripts/lib/manpages de "$1"
}

program_version() {
	sed -n 's/.*"productVersion": *"\([^"]*\)".*/\1/p' wails.json
}

# installed_pack DATA_DIR prints the directory of the current pack.
installed_pack() {
	local version
	version=$(sed -n 's/.*"current": *"\([^"]*\)".*/\1/p' "$1/runtime/current.json")
	printf '%s\n' "$1/runtime/$version"
}

# task_id reads `piwork task list --json` and prints the id of the newest task.
task_id() { sed -n 's/^ *"id": *"\([0-9a-f-]\{36\}\)",*$/\1/p' | head -n 1; }
