//go:build unix

package qemu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/qemu"
)

// children returns the ids of this process's children.
func children(t *testing.T) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	var all []string
	tasks, err := filepath.Glob("/proc/" + strconv.Itoa(os.Getpid()) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tasks {
		if b, err := os.ReadFile(f); err == nil {
			all = append(all, strings.Fields(string(b))...)
		}
	}
	return all
}

// leavesNothing checks that a proof ends its processes and removes its sockets.
func leavesNothing(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Cleanup(func() {
		if c := children(t); len(c) != 0 {
			t.Errorf("processes left: %v", c)
		}
		if names, err := os.ReadDir(os.Getenv("XDG_RUNTIME_DIR")); err != nil || len(names) != 0 {
			t.Errorf("directories left: %v %v", names, err)
		}
	})
}

func proveOptions(t *testing.T, guest string, accel qemu.Accel) qemu.ProveOptions {
	t.Helper()
	return qemu.WithPatience(qemu.ProveOptions{Image: image(t, guest), Accel: accel}, time.Minute, time.Minute, time.Minute)
}

func TestProve(t *testing.T) {
	for _, tt := range []struct {
		guest   string
		accel   qemu.Accel
		cpu     string
		refused int
	}{
		{"boots", qemu.AccelTCG, "max,-erms,-fsrm", 0},
		{"boots", qemu.AccelKVM, "host", 0},
		{"second rung", qemu.AccelKVM, "host,-arch-capabilities", 1},
		{"hollow", qemu.AccelTCG, "max,-erms,-fsrm", 0},
		{"modest", qemu.AccelKVM, "qemu64", 1},
	} {
		t.Run(tt.guest+" "+string(tt.accel), func(t *testing.T) {
			leavesNothing(t)
			floor := time.Minute // no rung is silent: a busy computer has all the time it needs
			if tt.guest == "modest" {
				floor = 6 * time.Second
			}
			o := qemu.WithPatience(proveOptions(t, tt.guest, tt.accel), time.Minute, floor, time.Minute)
			p, err := qemu.Prove(soon(t), o)
			if err != nil {
				t.Fatal(err)
			}
			if p.Accel != tt.accel || p.CPU != tt.cpu || p.QEMU != "10.0.0" || len(p.Refused) != tt.refused || p.Cached ||
				p.FirstByte <= 0 || p.Ready < p.FirstByte || p.Slow <= 0 || p.Time.IsZero() {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestProveFails(t *testing.T) {
	for _, tt := range []struct {
		guest    string
		asked    qemu.Accel
		accel    qemu.Accel // that failed
		stage    qemu.Stage
		output   string
		attempts int
		deadline bool
	}{
		{"hollow", qemu.AccelKVM, qemu.AccelKVM, qemu.StageFirstByte, "", 2, true},
		{"refuses", qemu.AccelTCG, qemu.AccelTCG, qemu.StageStart, "Permission denied", 0, false},
		{"refuses", qemu.AccelKVM, qemu.AccelTCG, qemu.StageStart, "Permission denied", 0, false}, // the slow mode failed first
		{"aborts", qemu.AccelTCG, qemu.AccelTCG, qemu.StageStart, "MSR", 0, false},
		{"silent", qemu.AccelTCG, qemu.AccelTCG, qemu.StageFirstByte, "", 0, true},
		{"stalls", qemu.AccelTCG, qemu.AccelTCG, qemu.StageAgent, "starting", 0, true},
		{"stalls", qemu.AccelKVM, qemu.AccelKVM, qemu.StageAgent, "starting", 1, true},
		{"panics", qemu.AccelTCG, qemu.AccelTCG, qemu.StageAgent, "no init found", 0, false},
		{"floods", qemu.AccelTCG, qemu.AccelTCG, "", "", 0, false},
	} {
		t.Run(tt.guest+" "+string(tt.asked), func(t *testing.T) {
			leavesNothing(t)
			o := proveOptions(t, tt.guest, tt.asked)
			ctx := soon(t)
			switch tt.guest {
			case "stalls": // no rung is silent before; after the slow mode nothing is left to try, so that it has longer
				o = qemu.WithPatience(o, time.Minute, time.Minute, 300*time.Millisecond)
				if tt.asked == qemu.AccelTCG {
					o = qemu.WithPatience(o, 3*time.Second, time.Minute, 300*time.Millisecond)
				}
			case "hollow":
				o = qemu.WithPatience(o, time.Minute, 6*time.Second, time.Minute)
			case "silent":
				o = qemu.WithPatience(o, 200*time.Millisecond, 200*time.Millisecond, time.Second)
			case "floods": // never the marker and never silence: the caller's patience is the limit
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			_, err := qemu.Prove(ctx, o)
			var e *qemu.ProofError
			if tt.stage == "" {
				if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) {
					t.Errorf("error %v", err)
				}
				return
			}
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Accel != tt.accel || e.Stage != tt.stage || !strings.Contains(e.Output, tt.output) ||
				len(e.Attempts) != tt.attempts || (e.Deadline > 0) != tt.deadline || len(e.CommandLine) == 0 || len(e.Output) > 20<<10 {
				t.Errorf("%+v", e)
			}
			if tt.guest == "stalls" && (e.Deadline >= 3*time.Second) != (tt.asked == qemu.AccelTCG) {
				t.Errorf("the guest might be silent for %v", e.Deadline)
			}
		})
	}
}

func TestProveIsGivenUp(t *testing.T) {
	leavesNothing(t)
	ctx, cancel := context.WithTimeout(soon(t), 100*time.Millisecond)
	defer cancel()
	_, err := qemu.Prove(ctx, qemu.ProveOptions{Image: image(t, "silent"), Accel: qemu.AccelTCG})
	if e := (*qemu.ProofError)(nil); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}

// What is missing on this computer says nothing about an accelerator.
func TestProveFindsNothingOut(t *testing.T) {
	leavesNothing(t)
	for name, change := range map[string]func(*qemu.ProveOptions){
		"no program": func(o *qemu.ProveOptions) { o.Image.Program = []string{"/no/such/qemu"} },
		"no log":     func(o *qemu.ProveOptions) { o.LogDir = "/dev/null/logs" },
		"no image":   func(o *qemu.ProveOptions) { o.Image.Program = nil },
	} {
		o := proveOptions(t, "boots", qemu.AccelKVM)
		change(&o)
		_, err := qemu.Prove(soon(t), o)
		if e := (*qemu.ProofError)(nil); err == nil || errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := proveOptions(t, "boots", qemu.AccelTCG)
	o.LogDir = filepath.Join(t.TempDir(), "made", "for it")
	if _, err := qemu.Prove(soon(t), o); err != nil {
		t.Error(err)
	}
}

// What else was proven is remembered beside the proofs, for one boot.
func TestProofCacheKnows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "proofs.json")
	boot := "boot-1"
	cache := &qemu.ProofCache{Path: path}
	qemu.WithBootID(cache, func() (string, error) { return boot, nil })
	if cache.Knows("a") {
		t.Error("known before it was proven")
	}
	for _, what := range []string{"a", "b", "b"} {
		if err := cache.Learn(what, true); err != nil {
			t.Fatal(err)
		}
	}
	o := proveOptions(t, "boots", qemu.AccelTCG)
	o.Cache = cache
	if _, err := qemu.Prove(soon(t), o); err != nil {
		t.Fatal(err)
	}
	if !cache.Knows("a") || !cache.Knows("b") || cache.Knows("c") {
		t.Error("a proof beside it changes what is known")
	}
	if err := cache.Learn("a", false); err != nil || cache.Knows("a") || !cache.Knows("b") {
		t.Errorf("forgotten: %v", err)
	}
	if p, err := qemu.Prove(soon(t), o); err != nil || !p.Cached {
		t.Errorf("the proof beside it: %+v %v", p, err)
	}
	for i := range 100 { // what is used stays
		if err := cache.Learn(strconv.Itoa(i), true); err != nil || !cache.Knows("b") {
			t.Fatalf("after %d others: %v", i, err)
		}
	}
	if cache.Knows("0") || !cache.Knows("99") {
		t.Error("what nobody uses stays, or what is new does not")
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() > 10<<10 {
		t.Errorf("%d bytes, %v", fi.Size(), err)
	}
	boot = "boot-2"
	if cache.Knows("99") {
		t.Error("known after the computer was started again")
	}
	qemu.WithBootID(cache, func() (string, error) { return "", errors.New("none") })
	if err := cache.Learn("a", true); err == nil || cache.Knows("a") {
		t.Error("remembered without a boot id")
	}
}

func TestProofCache(t *testing.T) {
	leavesNothing(t)
	ctx, path := soon(t), filepath.Join(t.TempDir(), "proofs.json")
	boot := "boot-1"
	cache := &qemu.ProofCache{Path: path}
	qemu.WithBootID(cache, func() (string, error) { return boot, nil })
	prove := func(change func(*qemu.ProveOptions)) qemu.Proof {
		t.Helper()
		o := proveOptions(t, "second rung", qemu.AccelTCG)
		o.Cache = cache
		if change != nil {
			change(&o)
		}
		p, err := qemu.Prove(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := prove(nil)
	if first.Cached {
		t.Fatal("remembered before it was proven")
	}
	again := prove(nil)
	if !again.Cached {
		t.Error("not remembered")
	}
	again.Cached = false
	if again.Ready != first.Ready || again.CPU != first.CPU || !again.Time.Equal(first.Time) {
		t.Errorf("remembered\n%+v, proven\n%+v", again, first)
	}
	for name, change := range map[string]func(*qemu.ProveOptions){
		"asked for afresh":   func(o *qemu.ProveOptions) { o.Fresh = true },
		"another image":      func(o *qemu.ProveOptions) { o.Image.ID = "other" },
		"another program":    func(o *qemu.ProveOptions) { o.Image.Program = append(o.Image.Program, "--library-path") },
		"more processors":    func(o *qemu.ProveOptions) { o.CPUs = 4 },
		"another accel":      func(o *qemu.ProveOptions) { o.Accel = qemu.AccelKVM },
		"another boot":       func(*qemu.ProveOptions) { boot = "boot-2" },
		"file is cut":        func(*qemu.ProveOptions) { must(os.Truncate(path, 30)) },
		"file is emptied":    func(*qemu.ProveOptions) { must(os.Truncate(path, 0)) },
		"file of a stranger": func(*qemu.ProveOptions) { must(os.WriteFile(path, []byte(`{"v":99,"entries":7}`), 0o600)) },
		"file is gone":       func(*qemu.ProveOptions) { must(os.Remove(path)) },
	} {
		if prove(change).Cached {
			t.Errorf("%s: remembered", name)
		}
		if !prove(nil).Cached && name != "another image" && name != "another program" && name != "another accel" && name != "more processors" {
			t.Errorf("%s: not remembered afterwards", name)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("files: %v %v", names, err)
	}

	// Without a boot id nothing is remembered, and all else works.
	qemu.WithBootID(cache, func() (string, error) { return "", errors.New("none") })
	for range 2 {
		if prove(nil).Cached {
			t.Error("remembered without a boot id")
		}
	}
	// A failure is not remembered.
	qemu.WithBootID(cache, nil)
	o := proveOptions(t, "refuses", qemu.AccelTCG)
	o.Cache = cache
	for range 2 {
		if _, err := qemu.Prove(ctx, o); err == nil {
			t.Error("a failure was remembered as a proof")
		}
	}
}
