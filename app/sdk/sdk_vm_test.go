//go:build vm && linux

// Package sdk_test has what each SDK can do, against a real piwork. The same stands in
// python/test_piwork.py, typescript/piwork.test.ts and swift/Tests/PiworkTests/PiworkTests.swift,
// which are run here: through pipes, and over HTTP with a token that lets them do this and
// nothing else. Swift's is, where scripts/lib/swiftroom has compiled it (./scripts/test all).
package sdk_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/client"
	"piwork/app/problem"
	"piwork/app/sdk/piwork"
	"piwork/app/sdk/sdktest"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/trust"
	"piwork/vmhost"
)

// room is a data directory for one piwork.
type room struct {
	t   *testing.T
	o   app.Options
	env []string
}

// streams is the variable that has the address of sdktest.Serve.
const streams = "PIWORK_TEST_STREAMS="

// newRoom makes one; the unpacked runtime stays between runs of the tests.
func newRoom(t *testing.T) *room {
	t.Helper()
	base, keep := t.TempDir(), os.Getenv("PIWORK_TEST_KEEP")
	keys, err := os.ReadFile(filepath.Join(app.Options{}.WithDefaults().ConfigDir, trust.DeveloperFile))
	o := app.Options{
		DataDir: filepath.Join(base, "data"), ConfigDir: filepath.Join(base, "config"), CacheDir: filepath.Join(base, "cache"),
		PackDir: os.Getenv(app.EnvRuntimeDir), Accel: "tcg", Version: "0.1.0", Developer: true,
	}
	err = errors.Join(err, os.MkdirAll(o.ConfigDir, 0o700), os.MkdirAll(o.CacheDir, 0o700), os.WriteFile(filepath.Join(o.ConfigDir, trust.DeveloperFile), keys, 0o600))
	if keep != "" {
		err = errors.Join(err, os.MkdirAll(filepath.Join(keep, "trees"), 0o700), os.Symlink(filepath.Join(keep, "trees"), filepath.Join(o.CacheDir, "trees")))
	}
	if err != nil {
		t.Fatal(err)
	}
	address, _ := sdktest.Serve(t) // Swift has one program for all tests
	env := append(os.Environ(), streams+address, app.EnvDataDir+"="+o.DataDir, app.EnvConfigDir+"="+o.ConfigDir, app.EnvCacheDir+"="+o.CacheDir, "PIWORK_TEST_RUNTIME="+vmhost.KindSandbox, "PIWORK_TEST_DIR="+base, "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1")
	return &room{t, o, env}
}

// stall is how long a program may say nothing before it is taken for stuck: the slowest waits until
// a task is seen to be left, while other programs have the processors.
const stall = 3 * time.Minute

// heard is what a program said, of which each piece puts off the end.
type heard struct {
	bytes.Buffer
	end *time.Timer
}

func (h *heard) Write(p []byte) (int, error) {
	h.end.Reset(stall)
	return h.Buffer.Write(p)
}

// run runs a program to its end.
func (r *room) run(env []string, argv ...string) string {
	r.t.Helper()
	ctx, stop := context.WithCancelCause(r.t.Context())
	defer stop(nil)
	said := &heard{end: time.AfterFunc(stall, func() { stop(fmt.Errorf("it said nothing for %v", stall)) })}
	defer said.end.Stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = slices.Concat(r.env, env), said, said, 10*time.Second // for what it started
	if err := cmd.Run(); err != nil {
		r.t.Errorf("%s: %v (%v)\n%s", strings.Join(argv, " "), err, context.Cause(ctx), &said.Buffer)
	}
	return said.String()
}

// program is piwork's.
func program(t *testing.T) string {
	t.Helper()
	name := os.Getenv("PIWORK_BIN")
	if name == "" {
		t.Fatal("PIWORK_BIN does not name the program")
	}
	return name
}

// languages are the tests of each SDK that is not Go's.
var languages = withSwift(map[string][]string{
	"Python":     {"python3", "python/test_piwork.py"},
	"TypeScript": {"node", "--test", "typescript/piwork.test.ts"},
}, "piworkPackageTests.xctest")

// forBrowsers is the package for TypeScript as bundlers take it for browsers. It knows no pipes.
const forBrowsers = "TypeScript-for-browsers"

// withSwift adds the command line of a program that scripts/lib/swiftroom compiled, if it did.
func withSwift[M ~map[string][]string](all M, program ...string) M {
	if dir := os.Getenv("PIWORK_TEST_SWIFT"); dir != "" {
		all["Swift"] = append([]string{filepath.Join(dir, "run")}, program...)
	}
	return all
}

// Streams that break, without a piwork.
func TestSDKsStreams(t *testing.T) {
	address, _ := sdktest.Serve(t)
	r := &room{t, app.Options{}, append(os.Environ(), streams+address, "PYTHONDONTWRITEBYTECODE=1")}
	for name, argv := range withSwift(map[string][]string{
		"Python":     {"python3", "python/test_streams.py"},
		"TypeScript": {"node", "--test", "typescript/streams.test.ts"},
		forBrowsers:  {"node", "--conditions=browser", "--test", "typescript/streams.test.ts"},
	}, "piworkPackageTests.xctest", "PiworkTests.StreamsTests") {
		t.Run(name, func(*testing.T) { r.run(nil, argv...) })
	}
}

// Through the pipes of a program, which starts piwork in the background.
func TestSDKsOverPipes(t *testing.T) {
	r := newRoom(t)
	defer r.run(nil, program(t), "serve", "--stop", "--cancel")
	for name, argv := range languages {
		t.Run(name, func(*testing.T) { r.run(nil, argv...) })
	}
}

// serve has the controller answer over HTTP, and says where.
func (r *room) serve() string {
	r.t.Helper()
	ctx, stop := context.WithCancel(r.t.Context())
	serve := exec.CommandContext(ctx, program(r.t), "serve", "--http", "127.0.0.1:0", "--json")
	serve.Env, serve.Cancel = r.env, func() error { return serve.Process.Signal(os.Interrupt) }
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { stop(); _ = serve.Wait() })
	var where struct {
		HTTP string `json:"http"`
	}
	silent := time.AfterFunc(5*time.Minute, stop) // also in the slow mode it has said where by then
	line, err := bufio.NewReader(out).ReadBytes('\n')
	silent.Stop()
	if err = errors.Join(err, json.Unmarshal(line, &where)); err != nil {
		r.t.Fatal(err)
	}
	return where.HTTP
}

// token makes the token "sdk".
func (r *room) token(grant ...string) string {
	r.t.Helper()
	var made struct {
		Secret string `json:"secret"`
	}
	said := r.run(nil, append([]string{program(r.t), "token", "create", "sdk", "--json"}, grant...)...)
	if err := json.Unmarshal([]byte(said), &made); err != nil {
		r.t.Fatal(err)
	}
	return made.Secret
}

// Over HTTP, with the token of a program that may start tasks on two folders, and in a sandbox.
func TestSDKsOverHTTP(t *testing.T) {
	r, languages := newRoom(t), maps.Clone(languages)
	languages[forBrowsers] = []string{"node", "--conditions=browser", "--test", "typescript/piwork.test.ts"}
	url := r.serve()
	grant := []string{"--scope", "tasks,decide"}
	folder := func(name string) string { return filepath.Join(filepath.Dir(r.o.DataDir), name) }
	for name := range languages {
		if err := os.Mkdir(folder(name), 0o755); err != nil {
			t.Fatal(err)
		}
		grant = append(grant, "--folder", folder(name)+":rw")
	}
	token := r.token(grant...)
	t.Run("each", func(t *testing.T) {
		for name, argv := range languages {
			t.Run(name, func(t *testing.T) {
				t.Parallel() // each waits until a task is seen to be left
				r.run([]string{"PIWORK_URL=" + url, "PIWORK_TOKEN=" + token, "PIWORK_TEST_FOLDER=" + folder(name)}, argv...)
			})
		}
	})
	if all := r.run(nil, program(t), "task", "list", "--json"); strings.Count(all, `"sdk@`) < 4*len(languages) {
		t.Errorf("the tasks are not those of the token: %.500s", all)
	}
}

// In a Go program, with a controller of its own.
func TestSDKInGo(t *testing.T) {
	r := newRoom(t)
	ctx := t.Context()
	p, err := piwork.New(ctx, r.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end, stop := context.WithTimeout(context.Background(), 2*time.Minute)
		defer stop()
		if err := p.Close(end); err != nil {
			t.Error(err)
		}
	})
	where := func(r *tasks.StartRequest) { r.Runtime = vmhost.KindSandbox }
	t.Run("first program", func(t *testing.T) {
		folder := t.TempDir()
		there := func() bool { _, err := os.Stat(filepath.Join(folder, "sorted.txt")); return err == nil }
		one, err := p.Run(ctx, []string{"sh", "-c", "echo hi; sort -r > /folders/" + filepath.Base(folder) + "/sorted.txt </dev/null"}, map[string]task.Mode{folder: task.ModeReadWrite}, where)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []task.EventKind
		for e, err := range one.Events(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, e.Kind)
		}
		if kinds[0] != task.EventState || kinds[len(kinds)-1] != task.EventState || !slices.Contains(kinds, task.EventOutput) {
			t.Errorf("%v", kinds)
		}
		rec, err := one.Wait(ctx)
		changes, cerr := one.Changes(ctx)
		if err != nil || cerr != nil || rec.State != task.StateDone || len(changes) != 1 || changes[0].Path != "sorted.txt" || !there() {
			t.Fatalf("%v %v %v %+v", err, cerr, rec.State, changes)
		}
		if undone, err := one.Undo(ctx); err != nil || len(undone.Undone) != 1 || there() {
			t.Errorf("%v %+v", err, undone)
		}
	})
	t.Run("output and status", func(t *testing.T) {
		one, err := p.Run(ctx, []string{"sh", "-c", "seq 20000; exit 3"}, nil, where)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		for n := range 20000 {
			fmt.Fprintln(&want, n+1)
		}
		if out, err := one.Output(ctx); err != nil || !bytes.Equal(out, want.Bytes()) {
			t.Errorf("%v %d bytes", err, len(out))
		}
		if rec, err := one.Wait(ctx); err != nil || rec.ExitCode == nil || *rec.ExitCode != 3 {
			t.Errorf("%v %+v", err, rec.Outcome)
		}
	})
	t.Run("refused", func(t *testing.T) {
		var bad *problem.Problem
		if _, err := p.Client.Task(ctx, "none"); !errors.As(err, &bad) || bad.Code != problem.CodeNotFound {
			t.Error(err)
		}
		if _, err := p.Run(ctx, nil, nil); !errors.As(err, &bad) || bad.Code != problem.CodeBadRequest {
			t.Error(err)
		}
	})
	t.Run("refused in German", func(t *testing.T) {
		german, err := client.ParseLanguage("de")
		if err != nil {
			t.Fatal(err)
		}
		var no *problem.Problem
		if _, err := client.InLanguage(p.Client, german).Task(ctx, "none"); !errors.As(err, &no) || !strings.Contains(no.Title, "gibt es nicht") {
			t.Errorf("%+v", err)
		}
	})
	t.Run("cancel", func(t *testing.T) {
		one, err := p.Run(ctx, []string{"sleep", "1000"}, nil, where)
		if err != nil {
			t.Fatal(err)
		}
		for e := range one.Events(ctx) {
			if step, is := e.Data.(task.StepData); is && step.Step == "run" {
				break
			}
		}
		if rec, err := one.Cancel(ctx); err != nil || rec.State != task.StateCancelled {
			t.Errorf("%v %v", err, rec.State)
		}
		if rec, err := one.Wait(ctx); err != nil || rec.State != task.StateCancelled {
			t.Errorf("%v %v", err, rec.State)
		}
	})
	t.Run("pages", func(t *testing.T) {
		started, seen := map[string]bool{}, map[string]bool{}
		for range 3 {
			one, err := p.Run(ctx, []string{"true"}, nil, where)
			if err == nil {
				_, err = one.Wait(ctx)
			}
			if err != nil {
				t.Fatal(err)
			}
			started[one.ID] = true
		}
		for one, err := range p.AllTasks(ctx, task.Filter{Limit: 2}) {
			if err != nil || seen[one.ID] {
				t.Errorf("%v %s", err, one.ID)
			}
			seen[one.ID] = true
			delete(started, one.ID)
		}
		if len(started) > 0 || len(seen) < 3 {
			t.Errorf("not seen: %v of %v", started, seen)
		}
	})
	t.Run("while it still is what was read", func(t *testing.T) {
		one, err := p.Run(ctx, []string{"true"}, nil, where)
		if err == nil {
			_, err = one.Wait(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		seen, err := one.Record(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := p.WhileStill(seen).RenameTask(ctx, one.ID, tasks.RenameRequest{Title: "a"}); err != nil || now.Title != "a" {
			t.Errorf("%v %q", err, now.Title)
		}
		var changed *problem.Problem
		if _, err := p.WhileStill(seen).RenameTask(ctx, one.ID, tasks.RenameRequest{Title: "b"}); !errors.As(err, &changed) || changed.Code != problem.CodeChanged {
			t.Error(err)
		}
		if now, err := p.Client.Task(ctx, one.ID); err != nil || now.Title != "a" {
			t.Errorf("%v %q", err, now.Title)
		}
		if _, err := piwork.Read(ctx, p.Tasks); err == nil {
			t.Error("an entry of a list has an ETag")
		}
	})
	t.Run("its end ends tasks", func(t *testing.T) {
		life, end := context.WithCancel(ctx)
		one, err := p.Run(life, []string{"sleep", "1000"}, nil, where)
		if err != nil {
			t.Fatal(err)
		}
		end()
		for {
			if rec, err := p.Client.Task(ctx, one.ID); err != nil || rec.State.Final() {
				if err != nil || rec.State != task.StateCancelled {
					t.Errorf("%v %v", err, rec.State)
				}
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	t.Run("at once", func(t *testing.T) {
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				one, err := p.Run(ctx, []string{"echo", fmt.Sprint(n)}, nil, where)
				if err != nil {
					t.Error(err)
					return
				}
				if out, err := one.Output(ctx); err != nil || string(out) != fmt.Sprintln(n) {
					t.Errorf("%v %q", err, out)
				}
			})
		}
		all.Wait()
	})
}
