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
	ways := []way{{restored: true}, {true, true}, {}}
	took, whole := make(map[way][]float64), make(map[way][]float64)
	for i := range runs {
		for _, how := range append(ways[i%len(ways):], ways[:i%len(ways)]...) {
			m, err := w.together(ctx, how)
			if err != nil {
				return nil, err
			}
			took[how], whole[how] = append(took[how], m.pss), append(whole[how], m.pss+m.unmapped)
		}
	}
	switch idle, err := memoryNow(); {
	case err != nil:
		return nil, err
	case idle != taken{}:
		return nil, fmt.Errorf("machines that were ended still take %.1f MiB", idle.pss+idle.unmapped)
	}
	for _, x := range []struct {
		name string
		ours []float64
	}{
		{"memory/four/pss", took[ways[0]]}, {"memory/four-virtiofs/pss", took[ways[1]]}, {"memory/four-virtiofs/whole", whole[ways[1]]},
	} {
		r := row{
			Name: x.name, Unit: "MiB", Ours: median(x.ours), Comparator: median(took[way{}]), Better: "lower", Runs: runs,
			ComparatorName: "the same four machines, booted, their folder over the port",
		}
		r.Ratio = r.Ours / r.Comparator
		rows = append(rows, r)
	}
	return rows, nil
}

// taken is what processes take, MiB.
type taken struct {
	pss      float64 // proportional set size, in which what they share counts once
	unmapped float64 // of machines with a device: copied for them, and not touched yet
}

// together has machines ready at the same time, each after one small program.
func (w *workshop) together(ctx context.Context, how way) (taken, error) {
	for range together {
		r, _, err := w.openAs(ctx, how)
		if err != nil {
			return taken{}, err
		}
		defer r.end(ctx) //nolint:errcheck // what is left of it is measured in the end
		if _, err := r.run(ctx, "cat", "hello.txt"); err != nil {
			return taken{}, err
		}
	}
	// For what goes on after the start, on both sides.
	if err := rest(ctx, 2*time.Second); err != nil {
		return taken{}, err
	}
	return memoryNow()
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

// memoryNow is the memory of all processes below this one, and of this one what it
// shares with machines as their device.
func memoryNow() (taken, error) {
	pids, err := descendants()
	if err != nil {
		return taken{}, err
	}
	var m taken
	for _, pid := range append(pids, os.Getpid()) {
		all, shared, resident, err := pssOf(pid)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue // it ended
		case err != nil:
			return taken{}, err
		case pid == os.Getpid():
			m.pss += shared
			continue
		}
		m.pss += all
		if has := sharedOf(pid); has > 0 {
			m.unmapped += max(0, has-resident)
		}
	}
	return m, nil
}

// pssOf is what a process has mapped, in MiB: its proportional set size, that of
// memory shared with a device alone, and how much of that it has touched.
func pssOf(pid int) (all, shared, resident float64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	if err != nil {
		return 0, 0, 0, err
	}
	device := false
	for line := range strings.Lines(string(b)) {
		word := strings.Fields(line)
		if len(word) >= 5 && strings.Contains(word[0], "-") { // the head of a mapping
			device = strings.HasPrefix(strings.Join(word[5:], " "), sharedRAM)
			continue
		}
		if word[0] != "Pss:" && word[0] != "Rss:" {
			continue
		}
		kb, err := strconv.ParseFloat(word[1], 64)
		if err != nil {
			return 0, 0, 0, err
		}
		switch mb := kb / 1024; {
		case word[0] == "Rss:" && device:
			resident += mb
		case word[0] == "Rss:":
		case device:
			shared += mb
			all += mb
		default:
			all += mb
		}
	}
	return all, shared, resident, nil
}
