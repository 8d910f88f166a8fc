package execution

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// withSpare gives an engine a Node that waits.
func withSpare(t *testing.T, e *Engine, scripts map[string]string) *Spares {
	t.Helper()
	nodePath(t)
	s := &Spares{Starter: e.cfg.Starter, Env: e.PlainEnv, Cwd: e.cfg.Cwd, Dir: filepath.Join(t.TempDir(), "spare"), Scripts: scripts, Exit: exitAddon(t)}
	e.cfg.Spares = []*Spares{s}
	t.Cleanup(s.Close)
	return s
}

// exitAddon compiles pack/guest/nodeexit, "" where there is no compiler: the
// tests of the machine have the one of the pack.
func exitAddon(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		return ""
	}
	file := filepath.Join(t.TempDir(), "exit.node")
	out, err := exec.CommandContext(t.Context(), cc, "-O2", "-ffreestanding", "-nostdlib", "-shared", "-fPIC", "-o", file, filepath.Join("..", "nodeexit", "source", "exit.c")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// ready has a spare wait and returns its pid.
func (s *Spares) ready(t *testing.T) int {
	t.Helper()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	pid := s.PID()
	if pid == 0 {
		t.Fatal("no node waits")
	}
	return pid
}

// A program must not be able to tell whether it was started plainly or became
// of a Node that waited.
func TestSpareIsAsPlain(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"all.js": `const m = require('module');
			console.log(process.argv, process.execArgv, process.argv0, process.title, process.env, process.cwd(), __filename, __dirname);
			console.log(require.main === module, process.mainModule === module, module.id, module.parent, module.children.length, module.paths, Object.keys(require.cache));
			console.log(m.builtinModules, m.globalPaths, process._preload_modules, process._eval, process.exitCode, process.execPath, process.allowedNodeEnvironmentFlags.size);
			for (const id of ['internal/options', 'internal/test/binding', 'node:internal/util']) { try { require(id); console.log('reached', id) } catch (e) { console.log(e.code) } }
			console.log(Reflect.ownKeys(globalThis), Object.keys(globalThis), Object.keys(process), JSON.stringify(Object.getOwnPropertyDescriptors(globalThis)), RegExp.lastMatch, process.stdout.bytesWritten, process.stdout.writableLength);
			console.log(process.listenerCount('exit'), process.eventNames(), process.report.directory, require('v8').getHeapStatistics().heap_size_limit);
			console.log(Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000, new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().locale);`,
		"order.js":     `process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('micro')); setTimeout(() => console.log('timer'), 20); console.log('main')`,
		"throws.js":    `function f() { throw new TypeError('no ' + process.argv[2]) }` + "\nf()\n",
		"rejects.js":   `Promise.reject(new Error('later'))`,
		"syntax.js":    `let a = ;`,
		"exit.js":      `process.on('exit', (c) => console.log('exit', c)); process.exitCode = 7; setImmediate(() => console.log('still'))`,
		"kills.js":     `process.kill(process.pid, 'SIGTERM')`,
		"aborts.js":    `process.abort()`,
		"handles.js":   `process.on('uncaughtException', (e) => console.log('caught', e.message)); setTimeout(() => console.log('on'), 5); null.x`,
		"module.mjs":   `import fs, { readFileSync } from 'node:fs'; import { x } from './other.mjs'; console.log(import.meta.url, import.meta.dirname, x, typeof require, process.argv.length, fs.readFileSync === readFileSync); await 1; console.log('top')`,
		"other.mjs":    `export const x = 5`,
		"never.mjs":    `await new Promise(() => {})`,
		"fails.mjs":    `await Promise.reject(new RangeError('esm'))`,
		"detect.js":    `import os from 'os'; console.log(typeof os.cpus, import.meta.url)`,
		"import.js":    `import('./module.mjs').then(() => console.log('imported'))`,
		"require.js":   `require('./all.js'); console.log(require.resolve('./order.js'), require.resolve.paths('x')); try { require('./absent') } catch (e) { console.log(e.message) }`,
		"noext":        `console.log('no extension', __filename)`,
		"data.json":    `{"a": 1}`,
		"stdin.js":     `let n = 0; process.stdin.on('data', (d) => n += d.length).on('end', () => console.log(n, process.stdin.isTTY, process.stdout.isTTY, process.stdout.writable))`,
		"big.js":       `process.stdout.write('x'.repeat(300000)); console.error('y'.repeat(100000))`,
		"fork.js":      `if (process.send) { process.send({ execArgv: process.execArgv, argv: process.argv.slice(2), env: process.env.A }); process.disconnect() } else { require('child_process').fork(__filename, ['c']).on('message', (m) => console.log(m)).on('exit', (c) => console.log('exit', c)) }`,
		"worker.js":    `const { Worker, isMainThread, parentPort, workerData } = require('worker_threads'); if (isMainThread) new Worker(__filename, { workerData: 4 }).on('message', (m) => console.log(m)).on('exit', (c) => console.log('exit', c)); else parentPort.postMessage([workerData, process.argv.length, process.execArgv, Object.keys(require.cache).length, process.env.A])`,
		"vm.js":        `const vm = require('vm'); console.log(vm.runInNewContext('a + 1', { a: 1 }), vm.runInThisContext('typeof require'), eval('typeof module'), new Function('return typeof globalThis.require')())`,
		"hooks.js":     `const h = require('async_hooks'); const s = new h.AsyncLocalStorage(); s.run(3, () => setTimeout(() => console.log(s.getStore(), h.executionAsyncId() > 0), 1)); console.log(h.executionAsyncId(), h.triggerAsyncId())`,
		"net.js":       `const s = require('net').createServer((c) => c.end('hi')).listen(0, '127.0.0.1', () => require('net').connect(s.address().port).on('data', (d) => console.log(String(d))).on('end', () => s.close()))`,
		"warn.js":      `process.emitWarning('careful'); new Buffer(1)`,
		"deep.js":      `(function f(n) { if (n === 0) throw new Error('deep'); f(n - 1) })(3)`,
		"dir/index.js": `console.log('index', __filename)`,
		"package.json": `{"name": "x"}`, "esm/package.json": `{"type": "module"}`, "esm/a.js": `console.log(import.meta.filename); export {}`,
		"types.ts": `const a: number = 5; console.log(a)`,
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "all.js"), filepath.Join(dir, "link.js")); err != nil {
		t.Fatal(err)
	}
	type test struct {
		name  string
		argv  []string
		spare bool // whether the one that waits is used
		more  func(*wire.ExecParams)
	}
	node := func(args ...string) []string { return append([]string{"node"}, args...) }
	var tests []test
	for _, name := range []string{
		"all.js", "order.js", "rejects.js", "syntax.js", "exit.js", "kills.js", "aborts.js", "handles.js", "module.mjs", "never.mjs", "fails.mjs", "detect.js",
		"import.js", "require.js", "noext", "data.json", "big.js", "fork.js", "worker.js", "vm.js", "hooks.js", "net.js", "warn.js", "deep.js", "link.js", "esm/a.js", "types.ts", "./order.js", "dir/../order.js",
	} {
		tests = append(tests, test{name: name, argv: node(name, "a", "-b", "--", "ü\n"), spare: true})
	}
	env := func(k, v string) func(*wire.ExecParams) {
		return func(p *wire.ExecParams) { p.Env = map[string]string{k: v} }
	}
	stdin := func(text string) func(*wire.ExecParams) {
		return func(p *wire.ExecParams) { p.Stdin = []byte(text) }
	}
	const about = `console.log(process.argv, process.execArgv, process._eval, module.id, module.filename, module.paths, require.main, process.mainModule, __filename, typeof exports, typeof fs.readFileSync, typeof crypto.createHash, globalThis.module === module, Object.keys(require.cache), Reflect.ownKeys(globalThis), require('module')._pathCache, process.stdout.bytesWritten); process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('micro')); setTimeout(() => console.log('timer'), 20)`
	tests = append(tests,
		test{"throws", node("throws.js", "way"), true, nil},
		test{"absolute", node(filepath.Join(dir, "order.js")), true, nil},
		test{"stdin data", node("stdin.js"), true, stdin(strings.Repeat("z", 200_000))},
		test{"-e", node("-e", about, "a", "-b"), true, nil},
		test{"--eval", node("--eval", about), true, nil},
		test{"-e 1", node("-e", "1"), true, nil},
		test{"-e throws", node("-e", "throw new Error('x')"), true, nil},
		test{"-e throws a string", node("-e", "throw 'x'"), true, nil},
		test{"-e rejects", node("-e", "Promise.reject(new Error('x'))"), true, nil},
		test{"-e syntax", node("-e", "let a = ;"), true, nil},
		test{"-e exits", node("-e", "process.exit(9)"), true, nil},
		test{"-e esm", node("-e", "import fs from 'fs'; await 1; console.log(typeof fs.stat, import.meta.url)"), true, nil},
		test{"-e import()", node("-e", "import('./other.mjs').then((m) => console.log(m.x))"), true, nil},
		test{"-e requires", node("-e", "require('./order.js')"), true, nil},
		test{"-e worker", node("-e", "new (require('worker_threads').Worker)('console.log(process.execArgv, 1)', { eval: true })"), true, nil},
		test{"-e fork", node("-e", "require('child_process').fork('./fork.js', ['q']).on('exit', (c) => console.log(c))"), true, nil},
		test{"-e typescript", node("-e", "const a: number = 5; console.log(a)"), true, nil},
		test{"-e this", node("-e", "console.log(this === globalThis, typeof arguments); var q = 1; console.log(globalThis.q)"), true, nil},
		test{"-p", node("-p", "[process.argv, process.execArgv, process._print_eval]", "a"), true, nil},
		test{"-p promise", node("-p", "Promise.resolve(1)"), true, nil},
		test{"-pe", node("-pe", "6 * 7"), true, nil},
		test{"--print", node("--print", "crypto.randomBytes(4).length"), true, nil},
		test{"-p esm", node("-p", "import fs from 'fs'; 1"), true, nil},
		test{"stdin script", node(), true, stdin(about)},
		test{"stdin throws", node("-", "a"), true, stdin("throw new Error('x')")},
		test{"stdin esm", node(), true, stdin("import fs from 'fs'; console.log(import.meta.url)")},
		test{"stdin empty", node(), true, nil},
		test{"by name", []string{"tool", "a"}, true, nil},
		test{"variables", node("all.js"), true, env("SOME", "thing=with\n'")},
		test{"another zone", node("-p", "new Date(0).toString() + Intl.DateTimeFormat().resolvedOptions().timeZone"), true, env("TZ", "America/New_York")},
		test{"NODE_ENV", node("-p", "process.env.NODE_ENV"), true, env("NODE_ENV", "test")},
		test{"most programs' directory", node("-p", "process.cwd() + process.env.PWD + module.paths"), true, func(p *wire.ExecParams) { p.Cwd = "" }},
		test{"another directory", node("-p", "process.cwd() + module.paths"), true, func(p *wire.ExecParams) { p.Cwd = "/usr" }},
		// These are started plainly.
		test{"no such file", node("absent.js"), false, nil},
		test{"without extension", node("order"), false, nil},
		test{"a directory", node("dir"), false, nil},
		test{"no such directory", node("order.js"), false, func(p *wire.ExecParams) { p.Cwd = "/no/such" }},
		test{"options", node("--stack-size=500", "order.js"), false, nil},
		test{"option after code", node("-e", about, "--no-warnings"), false, nil},
		test{"no code", node("-e"), false, nil},
		test{"--version", node("--version"), false, nil},
		test{"module by option", node("--input-type=module", "-e", "console.log(import.meta.url)"), false, nil},
		test{"NODE_OPTIONS", node("-p", "process.title"), false, env("NODE_OPTIONS", "--title=other")},
		test{"another language", node("-p", "1"), false, env("LANG", "de_DE.UTF-8")},
		test{"another PATH", node("-p", "1"), false, env("PATH", "/bin:/usr/bin")},
		test{"another home", node("-p", "require('os').homedir()"), false, env("HOME", "/tmp")},
		test{"by path", []string{"/usr/bin/node", "-p", "process.argv0"}, false, nil},
		test{"another program", []string{"sh", "-c", "echo node"}, false, nil},
		test{"memory", node("-p", "1"), false, func(p *wire.ExecParams) { p.Limits.MemoryMB = 500 }},
	)
	scripts := map[string]string{"tool": filepath.Join(dir, "tool")}
	if err := os.WriteFile(scripts["tool"], []byte("#!/usr/bin/env node\nconsole.log(process.argv, __filename)\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	node22 := nodeMajor(t) >= 22
	plain := newTestEngine(t, nil)
	plain.cfg.Env = func() []string {
		return []string{"PATH=" + filepath.Dir(nodePath(t)) + ":/usr/bin:/bin:" + dir, "LANG=C.UTF-8", "HOME=/root", "A=b", "TZ=Europe/Berlin"}
	}
	spared := newTestEngine(t, nil)
	spared.cfg.Env, spared.cfg.Cwd = plain.cfg.Env, plain.cfg.Cwd
	spares := withSpare(t, spared, scripts)
	// One of each kind is played always; the others take two starts of Node each.
	always := []string{
		"all.js", "order.js", "rejects.js", "exit.js", "handles.js", "module.mjs", "worker.js", "link.js", "throws", "stdin data", "-e", "-e throws", "-p", "stdin script", "stdin empty",
		"by name", "variables", "another zone", "another directory", "no such file", "no such directory", "options", "no code", "NODE_OPTIONS", "another PATH", "by path", "another program", "memory",
	}
	if !tier.All {
		tests = slices.DeleteFunc(tests, func(tt test) bool { return !slices.Contains(always, tt.name) })
		if len(tests) != len(always) {
			t.Fatalf("%d of %d rows are there", len(tests), len(always))
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.name, "typescript") && !node22 {
				tt.argv = node("-e", "1")
			}
			spares.ready(t)
			p := wire.ExecParams{ID: "x" + fmt.Sprint(time.Now().UnixNano()), Argv: tt.argv, Cwd: dir}
			if tt.more != nil {
				tt.more(&p)
			}
			want, wantErr := plain.Run(t.Context(), p)
			got, err := spared.Run(t.Context(), p)
			used := spares.PID() == 0
			refused := tt.name == "no such file" || tt.name == "without extension" || tt.name == "a directory" || tt.name == "no such directory"
			if used != (tt.spare || refused) {
				t.Errorf("the waiting node was used: %v", used)
			}
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("error %v, plainly %v", err, wantErr)
			}
			text := func(r wire.ExecResult) string {
				text := fmt.Sprintf("exit %d signal %d ended %q\n%s\n--\n%s", r.ExitCode, r.Signal, r.Ended, r.Stdout, r.Stderr)
				return chance.ReplaceAllString(text, "…")
			}
			if got, want := text(got), text(want); got != want {
				t.Errorf("it is\n%s\nplainly\n%s", got, want)
			}
		})
	}
}

// chance is what differs between any two processes: the beginning of Node's
// warnings, and addresses.
var chance = regexp.MustCompile(`\(node:\d+\)|0x[0-9a-f]{6,}`)

func nodePath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("these tests need Node: %v", err)
	}
	return path
}

func nodeMajor(t *testing.T) int {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), nodePath(t), "-p", "process.versions.node.split('.')[0]").Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What ends a program ends one that waited before.
func TestSpareEnds(t *testing.T) {
	e := newTestEngine(t, nil)
	spares := withSpare(t, e, nil)
	node := func(id, code string) wire.ExecParams {
		return wire.ExecParams{ID: id, Argv: []string{"node", "-e", code}}
	}
	pid := spares.ready(t)
	p := node("pid", "console.log(process.pid)")
	if r, err := e.Run(t.Context(), p); err != nil || strings.TrimSpace(string(r.Stdout)) != fmt.Sprint(pid) {
		t.Errorf("%s, %v; the waiting node is %d", r.Stdout, err, pid)
	}
	spares.ready(t)
	p = node("wall", "setInterval(() => {}, 1000); process.on('SIGTERM', () => {})")
	p.Limits.WallMS = 300
	if r, err := e.Run(t.Context(), p); err != nil || r.Ended != wire.EndedTimeout || r.Signal != int(unix.SIGKILL) {
		t.Errorf("%+v, %v", r, err)
	}
	spares.ready(t)
	p = node("out", "for (;;) console.log('x')")
	p.Limits.OutputBytes = 5000
	if r, err := e.Run(t.Context(), p); err != nil || r.Ended != wire.EndedOutputLimit || len(r.Stdout) != 5000 {
		t.Errorf("%d %q, %v", len(r.Stdout), r.Ended, err)
	}
	spares.ready(t)
	p = node("cpu", "for (;;) ;")
	p.Limits.CPUMS = 1000
	if r, err := e.Run(t.Context(), p); err != nil || r.Ended != wire.EndedCPULimit {
		t.Errorf("%+v, %v", r, err)
	}
	spares.ready(t)
	if err := e.Start(t.Context(), node("cancel", "setInterval(() => {}, 1000)")); err != nil {
		t.Fatal(err)
	}
	if err := e.Cancel("cancel"); err != nil {
		t.Error(err)
	}
	if r, err := e.Wait(t.Context(), "cancel"); err != nil || r.Ended != wire.EndedCancelled {
		t.Errorf("%+v, %v", r, err)
	}
}

// A waiting node that is killed is missed by nobody: the next program starts
// plainly, and after a while another waits.
func TestSpareIsKilled(t *testing.T) {
	e := newTestEngine(t, nil)
	spares := withSpare(t, e, nil)
	run := func(id string) {
		t.Helper()
		if r, err := e.Run(t.Context(), wire.ExecParams{ID: id, Argv: []string{"node", "-p", "1"}}); err != nil || string(r.Stdout) != "1\n" {
			t.Errorf("%s %s, %v", r.Stdout, r.Stderr, err)
		}
	}
	for i := range 10 { // at any moment of its end
		pid := spares.ready(t)
		if err := unix.Kill(pid, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
		run(fmt.Sprint("k", i))
	}
	deadline := time.Now().Add(time.Minute)
	for spares.PID() == 0 {
		if time.Now().After(deadline) {
			t.Fatal("no other node is started")
		}
		time.Sleep(50 * time.Millisecond)
	}
	spares.Discard()
	run("discarded")
	spares.Close()
	if err := spares.Start(t.Context()); err != nil {
		t.Error(err)
	}
	run("closed")
}

// Without memory to spare none waits.
func TestSpareNeedsMemory(t *testing.T) {
	e := newTestEngine(t, nil)
	spares := withSpare(t, e, nil)
	spares.Enough = func() bool { return false }
	if err := spares.Start(t.Context()); err != nil || spares.waiting != nil {
		t.Errorf("%v, %v", err, spares.waiting)
	}
}

// Where a node cannot be made to wait that is said, and nothing is left.
func TestSpareFails(t *testing.T) {
	for name, text := range map[string]string{"exits": "exit 0", "says nothing, then exits": "sleep 0.1; exit 3", "nonsense": `printf '\377\377\377\377' >&5`, "not ready": `printf '\0\0\0\002{}' >&5`} {
		t.Run(name, func(t *testing.T) {
			e := newTestEngine(t, nil)
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "node"), []byte("#!/bin/bash\n"+text+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			e.cfg.Env = func() []string { return []string{"PATH=" + bin + ":/usr/bin:/bin"} }
			spares := withSpare(t, e, nil)
			spares.Exit = ""
			if err := spares.Start(t.Context()); err == nil {
				t.Error("it waits")
			}
			if left, err := os.ReadDir(spares.Dir); err != nil || len(left) != 2 {
				t.Errorf("%v, %v", left, err)
			}
		})
	}
}

// One that hangs when it is to become a program holds only that start.
func TestSpareHangs(t *testing.T) {
	e := newTestEngine(t, nil)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "node"), []byte("#!/bin/bash\n[ \"$1\" = -p ] && exec echo plain\nprintf '\\0\\0\\0\\016{\"ready\":true}' >&5; sleep 600\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e.cfg.Env = func() []string { return []string{"PATH=" + bin + ":/usr/bin:/bin"} }
	spares := withSpare(t, e, nil)
	spares.ready(t)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := e.Run(ctx, wire.ExecParams{ID: "a", Argv: []string{"node", "-p", "1"}}); err == nil {
		t.Error("it was started")
	}
	if r, err := e.Run(t.Context(), wire.ExecParams{ID: "b", Argv: []string{"node", "-p", "1"}}); err != nil || string(r.Stdout) != "plain\n" {
		t.Errorf("%s, %v", r.Stdout, err)
	}
}

// Sequences of Math.random differ although the processes are as they are: the
// seed comes with the order.
func TestSpareIsSeeded(t *testing.T) {
	e := newTestEngine(t, nil)
	spares := withSpare(t, e, nil)
	seen := map[string]bool{}
	for i := range 4 {
		spares.ready(t)
		r, err := e.Run(t.Context(), wire.ExecParams{ID: fmt.Sprint(i), Argv: []string{"node", "-p", "Math.random() + ' ' + Math.random()"}})
		if err != nil || seen[string(r.Stdout)] {
			t.Errorf("%s, %v", r.Stdout, err)
		}
		seen[string(r.Stdout)] = true
	}
}
