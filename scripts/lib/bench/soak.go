package main

import (
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
// anything of them is left. The first three are not counted: they make what is
// kept on purpose.
func soak(b *B) {
	w := newWorkshop(b)
	defer b.end(w.factory.Close)
	for _, how := range []way{restored, booted, restoredDevice} {
		w.ready(how)
	}
	before := b.settled(nil)
	var each []time.Duration
	for i := range b.runs {
		each = append(each, timed(func() { w.ready(way{restored: i%soakBoots != 0, device: i%2 == 1}) }))
		if (i+1)%10 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d cycles\n", i+1, b.runs)
		}
	}
	after := b.settled(&before)
	fmt.Fprintf(os.Stderr, "before: %v\nafter:  %v\n", before, after)
	if !after.within(before) {
		failf("after %d cycles something is left: %v before, %v after", b.runs, before, after)
	}
	b.times("soak/cycle/time", "the first ten cycles", each, each[:min(10, len(each))])
}

// settled counts until nothing more goes away, or nothing is above what it was.
func (b *B) settled(before *resources) resources {
	deadline := time.Now().Add(settleTime)
	for last := (resources{}); ; b.rest(500 * time.Millisecond) {
		r := b.count()
		if time.Now().After(deadline) || before != nil && r.within(*before) || before == nil && r == last {
			return r
		}
		last = r
	}
}

func (b *B) count() resources {
	r := resources{goroutines: runtime.NumGoroutine(), descriptors: len(must(os.ReadDir("/proc/self/fd"))), processes: len(descendants())}
	check(filepath.WalkDir(b.dir, func(string, fs.DirEntry, error) error { r.files++; return nil }))
	return r
}
