package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

type runOptions struct {
	limit   time.Duration // of one command
	verbose bool
}

// runner plants faults in what is compiled of the tree.
type runner struct {
	o     runOptions
	root  string
	work  string               // of a fault's file
	sound map[command]*verdict // what tests said without a fault, by command
}

// command is what go test is called for.
type command struct {
	tier, pkg, run string
}

// result is what became of one fault.
type result struct {
	fault
	caught bool
	by     []string
	took   time.Duration
	err    error
}

// plantAll plants each of the faults alone, and prints which were caught.
func plantAll(ctx context.Context, root string, list []fault, o runOptions) (err error) {
	if os.Getenv(runtimeDir) == "" && slices.ContainsFunc(list, func(f fault) bool { return f.Tier == tierVM }) {
		return fmt.Errorf("faults of the tier vm need an unpacked pack: ./scripts/pack --flavour stock --dev-dir DIR, and %s=DIR", runtimeDir)
	}
	work, err := os.MkdirTemp("", "piwork-mutants-")
	if err != nil {
		return fmt.Errorf("make a place for the faults: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r := &runner{o: o, root: root, work: work, sound: map[command]*verdict{}}
	var results []result
	for _, f := range list {
		began := time.Now()
		res := r.try(ctx, f, baseline(list, f))
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted at %s: %w", f.Name, context.Cause(ctx))
		}
		res.took = time.Since(began)
		results = append(results, res)
		fmt.Fprintf(os.Stderr, "%s %s: %s (%.0f s)\n", f.Promise, f.Name, res.word(), res.took.Seconds())
	}
	return report(os.Stdout, results)
}

// baseline is the command that is run without a fault: of all tests of a package
// that faults need, so that they are built and run once. One that names subtests is
// on its own, because the whole of such a test takes long.
func baseline(list []fault, f fault) command {
	if strings.Contains(f.Tests, "/") {
		return command{f.Tier, f.Package, f.Tests}
	}
	var tests []string
	for _, other := range list {
		if other.Tier == f.Tier && other.Package == f.Package && !strings.Contains(other.Tests, "/") {
			tests = append(tests, other.tests()...)
		}
	}
	slices.Sort(tests)
	return command{f.Tier, f.Package, "^(" + strings.Join(slices.Compact(tests), "|") + ")$"}
}

// try shows that a fault is caught: its tests pass without it, and fail with it.
func (r *runner) try(ctx context.Context, f fault, without command) result {
	res := result{fault: f}
	if res.err = r.passes(ctx, f, without); res.err != nil {
		return res
	}
	overlay, err := r.overlay(f)
	if err != nil {
		res.err = fmt.Errorf("plant the fault: %w", err)
		return res
	}
	v, err := r.test(ctx, command{f.Tier, f.Package, f.Tests}, overlay)
	if err != nil {
		res.err = err
		return res
	}
	res.caught, res.err = v.caught()
	res.by = v.failed
	if r.o.verbose || !res.caught {
		fmt.Fprintln(os.Stderr, v.output.String())
	}
	return res
}

// passes makes sure that the tests of a fault pass without it.
func (r *runner) passes(ctx context.Context, f fault, without command) error {
	if r.sound[without] == nil {
		v, err := r.test(ctx, without, "")
		if err != nil {
			return fmt.Errorf("without a fault: %w", err)
		}
		r.sound[without] = v
	}
	return r.sound[without].sound(f.tests())
}

// overlay writes a file with a fault, and which file of the tree it takes the place of
// (go help build), and returns the name of the latter.
func (r *runner) overlay(f fault) (string, error) {
	file := filepath.Join(r.root, filepath.FromSlash(f.File))
	sound, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	bad, err := f.plant(string(sound))
	if err != nil {
		return "", err
	}
	planted, overlay := filepath.Join(r.work, filepath.Base(file)), filepath.Join(r.work, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{file: planted}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(planted, []byte(bad), 0o644), os.WriteFile(overlay, replace, 0o644))
}

// runtimeDir names the unpacked pack of tests that boot a machine.
const runtimeDir = "PIWORK_RUNTIME_DIR"

// environment is that of ./scripts/test: the slow mode, and nobody's own data. What the
// tests build has the fault, too.
func environment(tier, overlay string) []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "PIWORK_") && (tier != tierVM || !strings.HasPrefix(e, runtimeDir+"="))
	})
	flags := "-trimpath"
	if overlay != "" {
		flags += " -overlay=" + overlay
	}
	return append(env, "PIWORK_ACCEL=tcg", "GOFLAGS="+flags)
}

// test runs tests, with the fault of an overlay unless that is "".
func (r *runner) test(ctx context.Context, c command, overlay string) (*verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, r.o.limit+time.Minute)
	defer cancel()
	args := []string{"test", "-json", "-vet", "off", "-count", "1", "-timeout", r.o.limit.String(), "-run", c.run}
	if c.tier == tierVM {
		args = append(args, "-tags", "vm")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+c.pkg)...)
	cmd.Dir, cmd.Env, cmd.Stderr = r.root, environment(c.tier, overlay), os.Stderr
	cmd.WaitDelay = time.Minute
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run the tests: %w", err)
	}
	v, err := readVerdict(out)
	ended := cmd.Wait() // not 0 when a test failed, which the verdict says, too
	var exit *exec.ExitError
	switch {
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run the tests: %w", ctx.Err())
	case ended != nil && !errors.As(ended, &exit):
		return nil, fmt.Errorf("run the tests: %w", ended)
	case ended != nil && len(v.failed) == 0 && !v.noBuild && !v.timedOut:
		return nil, fmt.Errorf("go test failed, but no test did:\n%s", &v.output)
	}
	return v, nil
}

func (r result) word() string {
	switch {
	case r.err != nil:
		return "ERROR"
	case r.caught:
		return "caught"
	}
	return "NOT CAUGHT"
}

// report prints the table of results. Its error counts the faults that were not
// caught.
func report(w io.Writer, results []result) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	missed := 0
	for _, r := range results {
		if r.err != nil || !r.caught {
			missed++
		}
		by := strings.Join(r.by, ", ")
		if r.err != nil {
			by, _, _ = strings.Cut(r.err.Error(), "\n")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f s\t%s\t%s %s\n", r.Promise, r.word(), r.Tier, r.took.Seconds(), r.Name, r.Package, by)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.err != nil {
			fmt.Fprintf(w, "\n%s: %v\n", r.Name, r.err)
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d faults were not caught", missed, len(results))
	}
	return nil
}
