// Command apifuzz uses a real `piwork serve` as hostile and hasty programs would, for as long
// as it is told, by the document that the process itself serves (app/api/apifuzz). It fails
// when the server has a fault, an answer does not come or is not as the document says, or when
// something is left afterwards that was not there before: goroutines, open files, memory,
// processes, files outside of the data.
//
//	./scripts/fuzz -d 30m -seed 7
//
// The process lives in bubblewrap: it can write to a directory of the run and nowhere else,
// and has no network. Tasks work in the sandbox runtime; no virtual machine is started, which
// would be most of the time.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"piwork/app/api/apifuzz"
	"piwork/app/client"
	"piwork/app/words"
)

type options struct {
	program, pack string
	d             time.Duration
	seed          uint64
	workers       int
	keep          bool
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "", "piwork")
	flag.StringVar(&o.pack, "pack", "", "file of a runtime pack; without one nothing can work")
	flag.DurationVar(&o.d, "d", 20*time.Second, "how long")
	flag.Uint64Var(&o.seed, "seed", 1, "of the requests")
	flag.IntVar(&o.workers, "workers", 6, "callers at once; with 1, requests are the same again")
	flag.BoolVar(&o.keep, "keep", false, "leave the directory of the run")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bad, err := o.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || bad {
		os.Exit(1)
	}
}

// run is the whole of it: a short campaign against a process that is then counted, and the
// long one against another, which may have little more at its end.
func (o options) run(ctx context.Context) (bad bool, err error) {
	dir, err := os.MkdirTemp("", "piwork-fuzz")
	if err != nil {
		return false, err
	}
	if o.keep {
		fmt.Fprintln(os.Stdout, "kept:", dir)
	} else {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	b, err := newBox(dir, o)
	if err != nil {
		return false, err
	}
	var before state
	for i, d := range []time.Duration{min(o.d/4, 30*time.Second), o.d} {
		r, after, err := o.campaign(ctx, b, d, o.seed+uint64(i)<<50) //nolint:gosec // 0 or 1
		if err != nil {
			return true, err
		}
		show(r)
		fmt.Fprintln(os.Stdout, "afterwards:", after)
		bad = bad || len(r.Findings) > 0
		if i == 1 {
			for _, what := range after.beyond(before) {
				fmt.Fprintln(os.Stdout, "LEFT:", what)
				bad = true
			}
		}
		before = after
	}
	for _, what := range b.strange() {
		fmt.Fprintln(os.Stdout, "LEFT:", what)
		bad = true
	}
	if !bad {
		fmt.Fprintln(os.Stdout, "nothing found")
	}
	return bad, nil
}

// campaign starts a process, uses it for a while, and counts what it has at the end.
func (o options) campaign(ctx context.Context, b *box, d time.Duration, seed uint64) (r apifuzz.Report, s state, err error) {
	p, err := b.start(ctx)
	if err != nil {
		return r, s, err
	}
	defer p.kill()
	document, err := p.document(ctx)
	if err != nil {
		return r, s, err
	}
	f, err := apifuzz.New(document, b.files())
	if err != nil {
		return r, s, err
	}
	began := time.Now()
	c := &apifuzz.Campaign{
		Fuzz: f, Seed: seed, Workers: o.workers, Within: time.Minute, Codes: words.ProblemCodes(words.For("en")), Leave: leftOut, Examples: b.examples(), Tame: tame, Often: often, Meanwhile: b.lay,
		Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "unix", p.socket) },
		Log:  func(format string, args ...any) { fmt.Fprintf(os.Stdout, "found "+format+"\n", args...) },
	}
	if err := p.prepare(ctx); err != nil {
		return r, s, err
	}
	fmt.Fprintf(os.Stdout, "%s with seed %d and %d callers against process %d\n", d, seed, o.workers, p.pid)
	run, stop := context.WithTimeout(ctx, d)
	defer stop()
	go func() { // of the run
		for every := time.NewTicker(time.Minute); run.Err() == nil; {
			select {
			case <-run.Done():
				every.Stop()
			case <-every.C:
				fmt.Fprintf(os.Stdout, "%4.0fs %7d requests, %s\n", time.Since(began).Seconds(), f.Requests(), p.count())
			}
		}
	}()
	r = c.Run(run)
	if p.ended() {
		r.Findings = append(r.Findings, apifuzz.Finding{What: "the process ended: " + p.errors(), Times: 1})
		return r, s, nil
	}
	s = p.rest(ctx)
	if o.keep {
		last := fmt.Sprintf("%s.%d.txt", b.dir, p.pid)
		err = os.WriteFile(last, fmt.Appendf(nil, "%v\n\n%s", s.open, p.stderr.String()), 0o600)
		fmt.Fprintln(os.Stdout, "its files and goroutines:", last)
	}
	return r, s, err
}

func show(r apifuzz.Report) {
	fmt.Fprintf(os.Stdout, "%d requests, %d operations, %d of them with a success; never: %s\n", r.Requests, r.Operations, len(r.Fine), strings.Join(r.Never, " "))
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(os.Stdout, "  %-26s %7d\n", name, r.Counts[name])
	}
	for _, f := range r.Findings {
		fmt.Fprintln(os.Stdout, "FOUND", f)
	}
}

// document is the process's own.
func (p *process) document(ctx context.Context) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://piwork/openapi.yaml", http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := (&http.Client{Transport: client.Socket(p.socket)}).Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// strange are files where none may be made.
func (b *box) strange() (out []string) {
	for _, dir := range []string{b.dir, filepath.Join(b.dir, "cwd"), filepath.Join(b.dir, "tmp")} {
		list, err := os.ReadDir(dir)
		if err != nil {
			out = append(out, err.Error())
		}
		for _, e := range list {
			if dir != b.dir || !slices.Contains(made, e.Name()) {
				out = append(out, "a file outside of the data: "+filepath.Join(dir, e.Name()))
			}
		}
	}
	return out
}
