package main

import (
	"context"
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

// runner plants faults in a copy of the tree.
type runner struct {
	o       runOptions
	work    string               // holds all of the below, and is removed in the end
	dir     string               // the copy
	runtime string               // an unpacked pack without a fault, "" until one is needed
	sound   map[command]*verdict // what tests said without a fault, by command
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
	work, err := os.MkdirTemp("", "piwork-mutants-")
	if err != nil {
		return fmt.Errorf("make a place for the copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	r := &runner{o: o, work: work, dir: filepath.Join(work, "tree"), runtime: os.Getenv("PIWORK_RUNTIME_DIR"), sound: map[command]*verdict{}}
	if err := copyTree(ctx, root, r.dir); err != nil {
		return err
	}
	var results []result
	for _, f := range list {
		began := time.Now()
		res := r.try(ctx, f, baseline(list, f))
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted at %s: %w", f.name, context.Cause(ctx))
		}
		res.took = time.Since(began)
		results = append(results, res)
		fmt.Fprintf(os.Stderr, "%s %s: %s (%.0f s)\n", f.promise, f.name, res.word(), res.took.Seconds())
	}
	return report(os.Stdout, results)
}

// baseline is the command that is run without a fault: of all tests of a package
// that faults need, so that they are built and run once. One that names subtests is
// on its own, because the whole of such a test takes long.
func baseline(list []fault, f fault) command {
	if strings.Contains(f.run, "/") {
		return command{f.tier, f.pkg, f.run}
	}
	var tests []string
	for _, other := range list {
		if other.tier == f.tier && other.pkg == f.pkg && !strings.Contains(other.run, "/") {
			tests = append(tests, other.tests()...)
		}
	}
	slices.Sort(tests)
	return command{f.tier, f.pkg, "^(" + strings.Join(slices.Compact(tests), "|") + ")$"}
}

// try shows that a fault is caught: its tests pass without it, and fail with it.
func (r *runner) try(ctx context.Context, f fault, without command) result {
	res := result{fault: f}
	if res.err = r.passes(ctx, f, without); res.err != nil {
		return res
	}
	var v *verdict
	res.err = r.with(f, func() error {
		runtime := r.runtime
		var err error
		if f.guest {
			if runtime, err = r.pack(ctx, "faulty"); err != nil {
				return fmt.Errorf("a pack with the fault: %w", err)
			}
		}
		v, err = r.test(ctx, command{f.tier, f.pkg, f.run}, runtime)
		return err
	})
	if res.err == nil {
		res.caught, res.err = v.caught()
		res.by = v.failed
	}
	if v != nil && (r.o.verbose || !res.caught) {
		fmt.Fprintln(os.Stderr, v.output.String())
	}
	return res
}

// passes makes sure that the tests of a fault pass without it.
func (r *runner) passes(ctx context.Context, f fault, without command) error {
	if r.sound[without] == nil {
		if f.tier == tierVM && r.runtime == "" {
			dir, err := r.pack(ctx, "sound")
			if err != nil {
				return fmt.Errorf("a pack: %w", err)
			}
			r.runtime = dir
		}
		v, err := r.test(ctx, without, r.runtime)
		if err != nil {
			return fmt.Errorf("without a fault: %w", err)
		}
		r.sound[without] = v
	}
	return r.sound[without].sound(f.tests())
}

// with plants a fault, calls do and takes the fault out again.
func (r *runner) with(f fault, do func() error) (err error) {
	file := filepath.Join(r.dir, filepath.FromSlash(f.file))
	sound, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	bad, err := f.plant(string(sound))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
		return fmt.Errorf("plant the fault: %w", err)
	}
	defer func() { err = errors.Join(err, os.WriteFile(file, sound, 0o644)) }()
	return do()
}

// test runs tests on the copy as it is. The paths of the copy stay
// out of what is compiled, so that the build cache serves the next copy, too.
func (r *runner) test(ctx context.Context, c command, runtime string) (*verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, r.o.limit+time.Minute)
	defer cancel()
	args := []string{"test", "-json", "-trimpath", "-vet", "off", "-count", "1", "-timeout", r.o.limit.String(), "-run", c.run}
	if c.tier == tierVM {
		args = append(args, "-tags", "vm")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+c.pkg)...)
	cmd.Dir = r.dir
	cmd.Env = environment(c.tier, runtime)
	cmd.Stderr = os.Stderr
	endTogether(cmd)
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

// environment is that of ./scripts/test: the slow mode, and nobody's own data.
func environment(tier, runtime string) []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PIWORK_") {
			env = append(env, e)
		}
	}
	env = append(env, "PIWORK_ACCEL=tcg")
	if tier == tierVM {
		env = append(env, "PIWORK_RUNTIME_DIR="+runtime)
	}
	return env
}

// pack builds an unpacked pack of the copy as it is. A fault in the guest changes
// few parts of it: the others come from the build cache.
func (r *runner) pack(ctx context.Context, name string) (string, error) {
	dir := filepath.Join(r.work, name)
	if err := os.RemoveAll(filepath.Join(r.dir, ".git")); err != nil {
		return "", err
	}
	if err := asRepository(ctx, r.dir); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "./scripts/pack", "--flavour", "stock", "--dev-dir", dir)
	cmd.Dir = r.dir
	cmd.Env = environment(tierUnit, "")
	endTogether(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("./scripts/pack: %w\n%s", err, out)
	}
	return dir, nil
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f s\t%s\t%s %s\n", r.promise, r.word(), r.tier, r.took.Seconds(), r.name, r.pkg, by)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.err != nil {
			fmt.Fprintf(w, "\n%s: %v\n", r.name, r.err)
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d faults were not caught", missed, len(results))
	}
	return nil
}
