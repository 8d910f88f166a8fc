package execution

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/wire"
)

// A Node with a kit becomes the one program that it has loaded, as it would have
// been started, and no other.
func TestSpareKit(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"part.mjs": `export const loadedIn = process.cwd(), drawn = Math.random(); export const word = process.env.WORD; export const count = { n: 0 }`,
		"main.js": `#!/usr/bin/env node
			const part = require('./part.mjs'); part.count.n++;
			console.log(process.argv, process.execArgv, __filename, require.main === module, module.children.length, Object.keys(require.cache).sort());
			console.log(require('module').builtinModules.length, process.cwd(), process.env, part.word, part.count.n);
			console.log(process.eventNames(), Reflect.ownKeys(globalThis).length, process._preload_modules);
			console.error(part.loadedIn, Math.random());`,
		"other.js": `console.log('other', Object.keys(require.cache).length)`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	main := filepath.Join(dir, "main.js")
	kit := &Kit{
		Main: main, Load: []byte(`require(require('path').join(require('path').dirname(require('fs').realpathSync(process.argv[1])), 'part.mjs'))`),
		Env: []string{"WORD=given", "A=other"},
	}
	plain, spared := newTestEngine(t, nil), newTestEngine(t, nil)
	env := func() []string {
		return []string{"A=b", "HOME=/root", "LANG=C.UTF-8", "PATH=" + filepath.Dir(nodePath(t)) + ":/usr/bin:/bin"}
	}
	plain.cfg.Env, spared.cfg.Env, spared.cfg.Cwd = env, env, plain.cfg.Cwd
	spares := withSpare(t, spared, nil)
	spares.Kit = kit
	seen := map[string]bool{}
	for i, tt := range []struct {
		name string
		argv []string
		env  map[string]string
		used bool
	}{
		{"its program", []string{"node", main, "--mode", "rpc", "ü\n"}, nil, true},
		{"again", []string{"node", main}, nil, true},
		{"relative", []string{"node", "main.js"}, nil, true},
		{"read later", []string{"node", main}, map[string]string{"TZ": "Asia/Tokyo"}, true},
		{"another variable", []string{"node", main}, map[string]string{"WORD": "other"}, false},
		{"a variable more", []string{"node", main}, map[string]string{"SOME": ""}, false},
		{"another program", []string{"node", filepath.Join(dir, "other.js")}, nil, false},
		{"code", []string{"node", "-p", "1"}, nil, false},
		{"options", []string{"node", "--stack-size=500", main}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spares.ready(t)
			p := wire.ExecParams{ID: fmt.Sprint("k", i), Argv: tt.argv, Cwd: dir, Env: map[string]string{"WORD": "given", "A": "other"}}
			for k, v := range tt.env {
				p.Env[k] = v
			}
			want, err := plain.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := spared.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if used := spares.PID() == 0; used != tt.used {
				t.Errorf("the waiting node was used: %v", used)
			}
			if got.ExitCode != 0 || string(got.Stdout) != string(want.Stdout) {
				t.Errorf("it is\n%s%s\nplainly\n%s", got.Stdout, got.Stderr, want.Stdout)
			}
			if !tt.used {
				return
			}
			where, drawn, _ := strings.Cut(string(got.Stderr), " ")
			if where != spared.cfg.Cwd {
				t.Errorf("it was loaded in %q", where)
			}
			if seen[drawn] {
				t.Errorf("Math.random draws %s again", drawn)
			}
			seen[drawn] = true
		})
	}
}

// Nobody waits a second time for what was taken, and a kit that fails is said.
func TestSpareKitOnce(t *testing.T) {
	dir := t.TempDir()
	main := filepath.Join(dir, "main.js")
	if err := os.WriteFile(main, []byte(`console.log('ran')`), 0o644); err != nil {
		t.Fatal(err)
	}
	e := newTestEngine(t, nil)
	spares := withSpare(t, e, nil)
	spares.Kit = &Kit{Main: main, Load: []byte("void 0")}
	spares.ready(t)
	for i := range 2 {
		if r, err := e.Run(t.Context(), wire.ExecParams{ID: fmt.Sprint(i), Argv: []string{"node", main}}); err != nil || string(r.Stdout) != "ran\n" {
			t.Errorf("%+v %s, %v", r, r.Stderr, err)
		}
	}
	if spares.mu.Lock(); spares.later != nil {
		t.Error("another is to be started")
	}
	spares.mu.Unlock()
	spares.Kit = &Kit{Main: main, Load: []byte("throw new Error('no')")}
	if err := spares.Start(t.Context()); err == nil || spares.PID() != 0 {
		t.Errorf("it waits: %v", err)
	}
	if r, err := e.Run(t.Context(), wire.ExecParams{ID: "after", Argv: []string{"node", main}}); err != nil || string(r.Stdout) != "ran\n" {
		t.Errorf("%+v %s, %v", r, r.Stderr, err)
	}
}

// Getting on is told while one is started.
func TestSpareGetsOn(t *testing.T) {
	e := newTestEngine(t, nil)
	spares := withSpare(t, e, nil)
	main := filepath.Join(t.TempDir(), "main.js")
	told := make(chan time.Duration, 100)
	spares.Getting = func(used time.Duration) { told <- used }
	spares.beat = 200 * time.Millisecond
	spares.Kit = &Kit{Main: main, Load: []byte("const until = Date.now() + 1000; while (Date.now() < until);")}
	spares.ready(t)
	select {
	case used := <-told:
		if used <= 0 {
			t.Errorf("%v of processor time", used)
		}
	default:
		t.Error("nothing is told")
	}
}
