package model

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Result is what came of many histories.
type Result struct {
	Histories int64
	Took      time.Duration
	Failures  map[string][]*Failure // by kind, each shrunk; one of those that are alike
	Failed    int64
	Err       error
}

// hangsMost is how many undos may hang before a run ends: each takes a processor with it.
const hangsMost = 2

// Run plays what next gives, several at a time in base, until that has no more or most time is over.
func Run(base string, workers int, most time.Duration, with func(r *Runner), next func() (History, bool)) *Result {
	res := &Result{Failures: map[string][]*Failure{}}
	began := time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var stop atomic.Bool
	hangs := 0
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := &Runner{Dir: filepath.Join(base, fmt.Sprint("w", w))}
			r.JDir, r.Limit = filepath.Join(r.Dir, "j"), 10*time.Second
			with(r)
			if err := errors.Join(os.MkdirAll(r.Dir, 0o755), os.MkdirAll(r.JDir, 0o755)); err != nil {
				stop.Store(true)
			}
			for !stop.Load() && (most == 0 || time.Since(began) < most) {
				mu.Lock()
				h, ok := next()
				mu.Unlock()
				if !ok {
					return
				}
				f, err := r.Play(h)
				atomic.AddInt64(&res.Histories, 1)
				if f != nil && f.Kind() != Hangs {
					f = r.Shrink(f)
				}
				mu.Lock()
				if err != nil {
					res.Err = errors.Join(res.Err, err)
					stop.Store(true)
				}
				if f != nil {
					res.Failed++
					res.note(f)
					if f.Kind() == Hangs {
						if hangs++; hangs >= hangsMost {
							stop.Store(true)
						}
					}
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	res.Took = time.Since(began)
	return res
}

// note keeps a failure if it is the first of its likes or shorter.
func (r *Result) note(f *Failure) {
	key := f.Kind() + f.shape()
	if old := r.Failures[key]; len(old) == 0 {
		r.Failures[key] = []*Failure{f}
	} else if len(f.History.Steps) < len(old[0].History.Steps) {
		r.Failures[key][0] = f
	}
}

// alike are verbs that differ in little.
var alike = map[string]string{"append": "write", "trunc": "write", "xattr": "chmod", "utimes": "chmod", "symlink": "create"}

// shape is what a failure has in common with those that are alike.
func (f *Failure) shape() string {
	var v []string
	for _, s := range f.History.Steps {
		v = append(v, string(s.Who)+cmp.Or(alike[s.Verb], s.Verb))
	}
	slices.Sort(v)
	return fmt.Sprint(v, f.After)
}

// String lists the failures, the shortest first.
func (r *Result) String() string {
	var all []*Failure
	for _, list := range r.Failures {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b *Failure) int {
		if c := strings.Compare(a.Kind(), b.Kind()); c != 0 {
			return c
		}
		if c := len(a.History.Steps) - len(b.History.Steps); c != 0 {
			return c
		}
		return strings.Compare(a.History.String(), b.History.String())
	})
	var b strings.Builder
	kinds := map[string]int{}
	for _, f := range all {
		if kinds[f.Kind()]++; kinds[f.Kind()] <= shown {
			fmt.Fprintln(&b, f)
		}
	}
	for _, f := range slices.CompactFunc(all, func(a, b *Failure) bool { return a.Kind() == b.Kind() }) {
		fmt.Fprintf(&b, "%s: %d kinds of histories\n", f.Kind(), kinds[f.Kind()])
	}
	return b.String()
}

// shown is how many failures of one kind are printed.
var shown = 12

// Shrink leaves out steps for as long as the history fails in the same way, and no longer than a while.
func (r *Runner) Shrink(f *Failure) *Failure {
	until := time.Now().Add(shrinking)
	try := func(h History) bool {
		if time.Now().After(until) || !h.sound() {
			return false
		}
		g, err := r.Play(h)
		if err != nil || g == nil || g.Kind() != f.Kind() {
			return false
		}
		f = g
		return true
	}
	for size := max(1, len(f.History.Steps)/2); ; {
		less := false
		for i := len(f.History.Steps) - size; i >= 0; i -= size {
			h := f.History
			h.Steps = without(h.Steps, i, size)
			less = try(h) || less
			i = min(i, len(f.History.Steps))
		}
		for i := len(f.History.End) - 1; i >= 0 && size == 1; i-- {
			h := f.History
			h.End = slices.Delete(slices.Clone(h.End), i, i+1)
			less = try(h) || less
		}
		switch {
		case size > 1:
			size /= 2
		case !less:
			return f
		}
		if time.Now().After(until) {
			return f
		}
	}
}

// shrinking is how long a history is shrunk at most.
const shrinking = 10 * time.Second

// without returns steps without n of them from the i-th on, with the labels that follow from that, and
// without what is done through handles to files that those made.
func without(steps []Step, i, n int) []Step {
	number := map[string]string{}
	var out []Step
	for k, s := range steps {
		if k >= i && k < i+n {
			continue
		}
		if made, err := strconv.Atoi(s.A); err == nil && s.Handle && made > 0 {
			if s.A = number[s.A]; s.A == "" {
				continue
			}
		}
		out = append(out, s)
		number[strconv.Itoa(k+1)] = strconv.Itoa(len(out))
	}
	return out
}
