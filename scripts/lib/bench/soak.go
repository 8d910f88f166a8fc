package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// soakBoots is which cycles boot instead of being restored: every tenth.
const soakBoots = 10

// settleTime is how long what ended may take to be gone from the counts.
const settleTime = 10 * time.Second

// resources are what a cycle must not keep.
type resources struct{ processes, descriptors, goroutines, files int }

func (r resources) String() string {
	return fmt.Sprintf("%d processes, %d descriptors, %d goroutines, %d files", r.processes, r.descriptors, r.goroutines, r.files)
}

// within reports whether nothing grew.
func (r resources) within(before resources) bool {
	return r.processes <= before.processes && r.descriptors <= before.descriptors &&
		r.goroutines <= before.goroutines && r.files <= before.files
}

// soak starts, uses and ends machines, one after another, and fails when
// anything of them is left. The first two are not counted: they make what is
// kept on purpose.
func soak(ctx context.Context, e env, runs int) (rows []row, err error) {
	w, err := newWorkshop(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, how := range []way{{restored: true}, {}, {true, true}} {
		if _, err := w.ready(ctx, how); err != nil {
			return nil, err
		}
	}
	before, err := settled(ctx, e, nil)
	if err != nil {
		return nil, err
	}
	var each []time.Duration
	for i := range runs {
		began := time.Now()
		if _, err := w.ready(ctx, way{restored: i%soakBoots != 0, device: i%2 == 1}); err != nil {
			return nil, fmt.Errorf("cycle %d: %w", i+1, err)
		}
		each = append(each, time.Since(began))
		if (i+1)%10 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d cycles\n", i+1, runs)
		}
	}
	after, err := settled(ctx, e, &before)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "before: %v\nafter:  %v\n", before, after)
	if !after.within(before) {
		return nil, fmt.Errorf("after %d cycles something is left: %v before, %v after", runs, before, after)
	}
	return []row{newRow("soak/cycle/time", "the first ten cycles", each, each[:min(10, len(each))])}, nil
}

// settled counts until nothing more goes away, or nothing is above what it was.
func settled(ctx context.Context, e env, before *resources) (resources, error) {
	deadline := time.Now().Add(settleTime)
	last := resources{}
	for {
		r, err := count(e)
		if err != nil {
			return r, err
		}
		if time.Now().After(deadline) || before != nil && r.within(*before) || before == nil && r == last {
			return r, nil
		}
		last = r
		if err := rest(ctx, 500*time.Millisecond); err != nil {
			return r, err
		}
	}
}

func count(e env) (resources, error) {
	r := resources{goroutines: runtime.NumGoroutine()}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return r, err
	}
	r.descriptors = len(fds)
	below, err := descendants()
	if err != nil {
		return r, err
	}
	r.processes = len(below)
	err = filepath.WalkDir(e.dir, func(string, fs.DirEntry, error) error { r.files++; return nil })
	return r, err
}
