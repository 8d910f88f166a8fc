package piwork_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/lock"
	"piwork/app/problem"
	"piwork/app/sdk/piwork"
	"piwork/app/task"
	"piwork/vmhost/share/journal"
)

// running is an invented piwork that has the data directory, as a window has it.
func running() (end func()) {
	dir, err := os.MkdirTemp("", "pw") // short: for the socket
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{app.EnvDataDir, app.EnvConfigDir, app.EnvCacheDir} {
		if err := os.Setenv(name, dir); err != nil {
			log.Fatal(err)
		}
	}
	l, err := lock.Acquire(context.Background(), dir)
	if err != nil {
		log.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	ln, err := new(net.ListenConfig).Listen(context.Background(), "unix", socket)
	if err == nil {
		err = l.Announce(lock.Holder{PID: os.Getpid(), Socket: socket})
	}
	if err != nil {
		log.Fatal(err)
	}
	a := api.New(api.Options{Log: slog.New(slog.DiscardHandler), Service: apitest.New(apitest.Script{Changed: apitest.Changed{List: []journal.Change{{ID: "1", Path: "Lists/sorted.txt"}}}})})
	s := &http.Server{Handler: a.Handler(), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(ln) }()
	return func() {
		a.Close()
		_ = errors.Join(s.Close(), l.Release(), os.RemoveAll(dir))
	}
}

func Example() {
	defer running()() // only here: this is a test
	ctx := context.Background()

	p, err := piwork.Open(ctx, app.Options{Version: "0.1.0", Developer: true})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close(ctx)
	t, err := p.Run(ctx, []string{"sort", "-o", "/folders/Lists/sorted.txt", "/folders/Lists/names.txt"}, map[string]task.Mode{"/home/me/Lists": task.ModeReadWrite})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range t.Events(ctx) {
		fmt.Println(event.Kind, err)
	}
	changed, err := t.Changes(ctx)
	fmt.Println("changed:", len(changed), err)
	report, err := t.Undo(ctx)
	fmt.Println("undone:", len(report.Undone), err)
	// Output:
	// state <nil>
	// step <nil>
	// state <nil>
	// progress <nil>
	// state <nil>
	// changed: 1 <nil>
	// undone: 1 <nil>
}

// The first program of the README is the one that is run here.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, found := strings.Cut(code, "```")
	if code = "\t" + strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n\t") + "\n"; !found || !strings.Contains(string(here), code) {
		t.Errorf("the example is not the README's:\n%s", code)
	}
}

// titled reports whether an error is a problem with a title.
func titled(err error, title string) bool {
	p, is := errors.AsType[*problem.Problem](err)
	return is && strings.Contains(p.Title, title)
}

// Without a piwork that runs Open has one of its own; one of its own alone says what else can be done.
func TestOpen(t *testing.T) {
	end := running()
	if _, err := piwork.New(t.Context(), app.Options{}); err == nil || !strings.Contains(err.Error(), "call Open") {
		t.Errorf("%v", err)
	} else if _, held := errors.AsType[*lock.HeldError](err); !held {
		t.Errorf("%v", err)
	}
	if p, err := piwork.Open(t.Context(), app.Options{}, piwork.Language("de")); err != nil {
		t.Error(err)
	} else if _, err := p.Client.Task(t.Context(), "none"); !titled(err, "gibt es nicht") {
		t.Errorf("%+v", err)
	}
	end()
	for _, name := range []string{app.EnvDataDir, app.EnvConfigDir, app.EnvCacheDir} {
		t.Setenv(name, t.TempDir())
	}
	for _, open := range []func(context.Context, app.Options, ...piwork.Option) (*piwork.Piwork, error){piwork.New, piwork.Open} {
		if _, err := open(t.Context(), app.Options{}, piwork.Language("de_DE")); err == nil || !strings.Contains(err.Error(), "is not a language") {
			t.Errorf("%v", err)
		}
	}
	p, err := piwork.Open(t.Context(), app.Options{}, piwork.Language("de"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Client.Task(t.Context(), "none"); !titled(err, "Eine Aufgabe none gibt es nicht") {
		t.Errorf("%+v", err)
	}
	if !lock.InUse(os.Getenv(app.EnvDataDir)) {
		t.Error("nothing has the data directory")
	}
	if err := p.Close(t.Context()); err != nil || lock.InUse(os.Getenv(app.EnvDataDir)) {
		t.Errorf("it still has it: %v", err)
	}
}

// A controller is used over HTTP with a token, and with no other.
func TestAt(t *testing.T) {
	ln, err := api.ListenLoopback("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := api.New(api.Options{Service: apitest.New(apitest.Script{}), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(a.Close)
	h, err := a.Guarded(api.Guard{Token: "right", Addr: ln.Addr().(*net.TCPAddr)})
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(ln) }()
	t.Cleanup(func() { s.Close() })
	for _, token := range []string{"right", "wrong"} {
		p, err := piwork.At("http://"+ln.Addr().String()+"/", token)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Chores(t.Context())
		var no *problem.Problem
		if token == "right" && err != nil || token == "wrong" && (!errors.As(err, &no) || no.Code != "unauthorized") {
			t.Errorf("%s: %v", token, err)
		}
	}
	german, err := piwork.At("http://"+ln.Addr().String(), "right", piwork.Language("de"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := german.Client.Task(t.Context(), "none"); !titled(err, "gibt es nicht") {
		t.Errorf("%+v", err)
	}
	if _, err := piwork.At("http://127.0.0.1", "right", piwork.Language("de\r\n")); err == nil || !strings.Contains(err.Error(), "is not a language") {
		t.Errorf("%v", err)
	}
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://127.0.0.1", "http://", "/run/piwork.sock"} {
		if _, err := piwork.At(address, "x"); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
}
