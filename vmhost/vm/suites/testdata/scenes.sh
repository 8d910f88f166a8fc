#!/bin/sh
# What people do with a folder: run in it, one line "RESULT name code" for each.
# Every step compares with the same step on the guest's own disk.
set -u
here=$PWD
scratch=$(mktemp -d /tmp/scenes.XXXXXX)
result() { # NAME COMMAND…
	name=$1
	shift
	if ( set -e; cd "$here"; "$@" ) >"$scratch/log" 2>&1; then
		echo "RESULT $name 0"
	else
		echo "RESULT $name 1"
		tail -n 5 "$scratch/log" | sed 's/^/    /'
	fi
}
# list DIR: everything in it, with contents, modes, times and links.
list() { (cd "$1" && find . -printf '%p %y %m %T@ %l\n' | grep -v ' d ' | LC_ALL=C sort && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }
same() { list "$1" >"$scratch/one" && list "$2" >"$scratch/two" && diff "$scratch/one" "$scratch/two"; }

export GIT_CONFIG_GLOBAL=$scratch/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.email test@example.org
git config --global user.name Test
git config --global init.defaultBranch main
git config --global gc.auto 0
git config --global --add safe.directory '*'

# A repository with 2,000 files and some history, made on the guest's own disk.
git_prepare() {
	mkdir "$scratch/origin" && cd "$scratch/origin" && git init -q
	for d in $(seq 20); do
		mkdir "d$d"
		for f in $(seq 100); do echo "$d $f" >"d$d/file $f.txt"; done
	done
	ln -s d1 link
	printf '#!/bin/sh\n' >run && chmod 755 run
	git add -A && git commit -qm one
	git checkout -qb other && git rm -qr d1 d2 && git mv d3 e3 && echo changed >>'d4/file 1.txt' && git commit -qam two
	git checkout -q main
	git gc -q
}
git_clone() { git clone -q --no-hardlinks "$scratch/origin" clone && test "$(git -C clone ls-files | wc -l)" = 2002; }
git_status() { test -z "$(git -C clone status --porcelain)"; }
git_checkout() { git -C clone checkout -q other && test -z "$(git -C clone status --porcelain)" && git -C clone checkout -q main && test -z "$(git -C clone status --porcelain)"; }
git_commit() { echo more >>'clone/d9/file 9.txt' && git -C clone commit -qam three && git -C clone log --oneline | grep -q three; }
git_gc() { git -C clone gc -q --prune=now && git -C clone fsck --full --strict; }
git_worktree() { git -C clone worktree add -q ../tree other && test -z "$(git -C tree status --porcelain)"; }
git_contents() { git -C clone archive main | tar -x -C "$scratch/plain" && (cd clone && git ls-files -z | xargs -0 sha256sum) >"$scratch/a" 2>/dev/null; test -s "$scratch/a"; (cd "$scratch/plain" && sha256sum -c --quiet "$scratch/a"); }

# A tree with everything that archives keep.
tree_prepare() {
	mkdir "$scratch/tree" && cd "$scratch/tree"
	mkdir -p deep/er 'with space' empty
	for i in $(seq 200); do head -c $((i * 37)) /dev/urandom >"deep/f$i"; done
	head -c 3000000 /dev/urandom >deep/er/large
	printf x >'with space/ünïcode 日本'
	ln -s ../deep/f1 'with space/link' && ln -s nowhere dangling && ln deep/f2 deep/hard
	chmod 600 deep/f3 && chmod 755 deep/f4 && chmod 444 deep/f5
	truncate -s 5M sparse && printf end >>sparse
	find . -exec touch -h -d '2001-02-03 04:05:06.123456789 UTC' {} +
	setfattr -n user.note -v kept deep/f1 2>/dev/null || true
}
tar_there() { mkdir tar && tar -C "$scratch/tree" --format=posix -cf - . | tar -C tar -xpf - && same "$scratch/tree" tar; }
tar_back() { mkdir "$scratch/back" && tar -C tar --format=posix -cSf - . | tar -C "$scratch/back" -xpf - && same "$scratch/tree" "$scratch/back"; }
tar_xattr() { mkdir xtar && tar -C "$scratch/tree" --xattrs -cf - . | tar -C xtar --xattrs --xattrs-include='user.*' -xpf - && test "$(getfattr --only-values -n user.note xtar/deep/f1)" = kept; }
tar_hard() { test "$(stat -c %h tar/deep/hard)" = 2 && test tar/deep/hard -ef tar/deep/f2; }
rsync_there() { mkdir rsync && rsync -aHS "$scratch/tree/" rsync/ && same "$scratch/tree" rsync; }
rsync_again() { echo more >>"$scratch/tree/deep/f9" && rm "$scratch/tree/deep/f10" && rsync -aHS --delete "$scratch/tree/" rsync/ && same "$scratch/tree" rsync; }
rsync_inplace() { printf '%s' changed | dd of="$scratch/tree/deep/er/large" bs=1 seek=1000000 conv=notrunc status=none && rsync -aH --inplace --no-whole-file "$scratch/tree/" rsync/ && same "$scratch/tree" rsync; }
rsync_quiet() { test -z "$(rsync -aHni "$scratch/tree/" rsync/)"; }
cp_all() { cp -a "$scratch/tree" cp && same "$scratch/tree" cp; }
mv_over() { cp -a "$scratch/tree" "$scratch/moved" && mv "$scratch/moved" moved && same "$scratch/tree" moved; }

npm() { HOME=$scratch node /opt/package/bin/npm-cli.js install --offline --no-audit --no-fund --no-update-notifier --cache "$scratch/npm-cache" /opt/packages/lodash.tgz /opt/packages/typescript.tgz; }
npm_there() { mkdir npm && cd npm && echo '{"name":"x","version":"1.0.0"}' >package.json && npm; }
npm_same() { mkdir "$scratch/npm" && (cd "$scratch/npm" && echo '{"name":"x","version":"1.0.0"}' >package.json && npm) && (cd npm && find node_modules -type f ! -name .package-lock.json -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) >"$scratch/n1" && (cd "$scratch/npm" && sha256sum -c --quiet "$scratch/n1") && test "$(wc -l <"$scratch/n1")" = "$(cd "$scratch/npm" && find node_modules -type f ! -name .package-lock.json | wc -l)"; }
npm_works() { cd npm && node -e 'if (require("lodash").chunk([1,2,3],2).length !== 2) process.exit(1); console.log(require("typescript").version)' && test -L node_modules/.bin/tsc && node_modules/.bin/tsc --version; }

rows() { sqlite3 "$1" 'PRAGMA integrity_check; SELECT count(*) FROM t'; }
sqlite_two() { # journal mode: two processes write at once
	sqlite3 "$1.db" "PRAGMA journal_mode=$1; CREATE TABLE t(a INTEGER PRIMARY KEY, b)" >"$scratch/mode"
	grep -qx "$1" "$scratch/mode"
	for p in 1 2; do
		( for i in $(seq 15); do echo "PRAGMA busy_timeout=60000; BEGIN IMMEDIATE; INSERT INTO t(b) VALUES ('$p $i'); INSERT INTO t(b) VALUES (randomblob(5000)); COMMIT;"; done | sed 's/^PRAGMA[^;]*; //;1i PRAGMA busy_timeout=60000;' | sqlite3 "$1.db" >/dev/null ) &
		pids="${pids:-} $!"
	done
	for p in $pids; do wait "$p"; done
	test "$(rows "$1.db" | tr '\n' ' ')" = 'ok 60 '
}
sqlite_locked() { # who waits for a lock that another holds is told so
	sqlite3 lock.db 'CREATE TABLE t(a)'
	( echo 'BEGIN EXCLUSIVE;'; echo '.shell touch locked'; sleep 5; echo 'COMMIT;' ) | sqlite3 lock.db &
	while [ ! -e locked ]; do sleep 0.1; done
	sqlite3 lock.db 'INSERT INTO t VALUES (1)' 2>&1 | grep -q locked
	wait
	sqlite3 lock.db 'INSERT INTO t VALUES (1)'
}
sqlite_vacuum() { sqlite3 delete.db "DELETE FROM t WHERE a % 2; VACUUM; PRAGMA integrity_check" | grep -qx ok; }

result 'git: make a repository' git_prepare
mkdir "$scratch/plain"
result 'git: clone' git_clone
result 'git: status' git_status
result 'git: check out thousands of files' git_checkout
result 'git: commit' git_commit
result 'git: gc and fsck' git_gc
result 'git: a second work tree' git_worktree
result 'git: contents' git_contents
result 'tree: make it' tree_prepare
result 'tar: there' tar_there
result 'tar: back' tar_back
result 'tar: hard links' tar_hard
result 'tar: extended attributes' tar_xattr
result 'rsync: there' rsync_there
result 'rsync: nothing to do' rsync_quiet
result 'rsync: changes and deletions' rsync_again
result 'rsync: in place' rsync_inplace
result 'cp -a' cp_all
result 'mv from another file system' mv_over
result 'npm: install' npm_there
result 'npm: the same files' npm_same
result 'npm: they work' npm_works
for mode in delete truncate persist wal; do result "sqlite: two writers, $mode" sqlite_two $mode; done
result 'sqlite: a lock is seen' sqlite_locked
result 'sqlite: vacuum' sqlite_vacuum
chmod -R u+w "$scratch" && rm -rf "$scratch"
