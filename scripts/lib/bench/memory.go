package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// together is how many machines are measured at the same time.
const together = 4

// four measures what machines that are ready take together: proportional set
// size (proc_pid_smaps_rollup(5)), in which what they share counts once.
func four(ctx context.Context, e env, runs int) (rows []row, err error) {
	w, err := newWorkshop(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	var ours, theirs []float64
	for i := range runs {
		order := []bool{true, false}
		if i%2 == 1 {
			order = []bool{false, true}
		}
		for _, restored := range order {
			mb, err := w.pss(ctx, restored)
			if err != nil {
				return nil, err
			}
			if restored {
				ours = append(ours, mb)
			} else {
				theirs = append(theirs, mb)
			}
		}
	}
	switch idle, err := pssOf(); {
	case err != nil:
		return nil, err
	case idle != 0:
		return nil, fmt.Errorf("machines that were ended still take %.1f MiB", idle)
	}
	r := row{
		Name: "memory/four/pss", Unit: "MiB", Ours: median(ours), Comparator: median(theirs), Better: "lower", Runs: runs,
		ComparatorName: "the same four machines, booted",
	}
	r.Ratio = r.Ours / r.Comparator
	return []row{r}, nil
}

// pss has machines ready at the same time, each after one small program.
func (w *workshop) pss(ctx context.Context, restored bool) (mb float64, err error) {
	for range together {
		r, _, err := w.open(ctx, restored)
		if err != nil {
			return 0, err
		}
		defer r.end(ctx) //nolint:errcheck // what is left of it is measured in the end
		if _, err := r.run(ctx, "cat", "hello.txt"); err != nil {
			return 0, err
		}
	}
	// For what goes on after the start, on both sides.
	if err := rest(ctx, 2*time.Second); err != nil {
		return 0, err
	}
	return pssOf()
}

// rest waits until d is over or ctx ends.
func rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pssOf is the memory of all processes below this one, in MiB.
func pssOf() (float64, error) {
	pids, err := descendants()
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue // it ended
		}
		for line := range strings.Lines(string(b)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
				if err != nil {
					return 0, err
				}
				total += kb / 1024
			}
		}
	}
	return total, nil
}
