package relocate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Where the system has one home for settings and data, the data has a directory of its own in it.
func TestUsual(t *testing.T) {
	for name, tt := range map[string]struct{ config, data, cache, want string }{
		"Linux":   {"/h/.config", "/h/.local/share", "/h/.cache", "/h/.config/piwork /h/.local/share/piwork /h/.cache/piwork"},
		"macOS":   {"/h/Application Support", "/h/Application Support", "/h/Caches", "/h/Application Support/piwork /h/Application Support/piwork/data /h/Caches/piwork"},
		"Windows": {"/h/Local", "/h/Local", "/h/Local/cache", "/h/Local/piwork /h/Local/piwork/data /h/Local/cache/piwork"},
		"one":     {"/h", "/h", "/h", "/h/piwork /h/piwork/data /h/piwork/cache"},
	} {
		d := usual(tt.config, tt.data, tt.cache)
		if got := filepath.ToSlash(d.Config + " " + d.Data + " " + d.Cache); got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A move takes the data away from the settings, wherever they are beside one another.
func TestMoveLeavesSettings(t *testing.T) {
	for name, at := range map[string]struct {
		config, data, cache string
		refused             bool // the settings are in the directory that moved: it stays
	}{
		"the data in the settings": {config: "piwork", data: "piwork/data", cache: "Caches/piwork"},
		"both in the settings":     {config: "piwork", data: "piwork/data", cache: "piwork/cache"},
		"one directory":            {config: "piwork", data: "piwork", cache: "Caches/piwork", refused: true},
		"the settings in the data": {config: "piwork/config", data: "piwork", cache: "Caches/piwork", refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			h := &home{t: t, r: request(base)}
			h.r.Config, h.r.Data, h.r.Cache = filepath.Join(base, at.config), filepath.Join(base, at.data), filepath.Join(base, at.cache)
			put := func(dir, name string) string {
				path := filepath.Join(dir, name)
				h.check(os.MkdirAll(filepath.Dir(path), 0o700))
				h.check(os.WriteFile(path, []byte("{}"), 0o600))
				return path
			}
			settings := put(h.r.Config, "config.json")
			put(h.r.Data, "tasks/1/task.json")
			put(h.r.Cache, "proofs.json")
			h.check(os.MkdirAll(h.r.Dir, 0o700))
			p := h.look()
			h.check(p.Run(t.Context(), Options{}))
			err := Settle(t.Context(), h.r.Config, func(string) bool { return false })
			if (err != nil) != at.refused {
				t.Error(err)
			}
			h.settle() // it is said once
			if _, err := os.Stat(settings); err != nil {
				t.Error(err)
			}
			now, err := Read(h.r.Config)
			if err != nil || now.Data != filepath.Join(p.To, "data") || len(now.Old) > 0 || now.Check() != nil {
				t.Errorf("%+v %v", now, err)
			}
			if _, err := os.Stat(filepath.Join(h.r.Data, "tasks")); (err == nil) != at.refused {
				t.Errorf("what moved: %v", err)
			}
		})
	}
}

// The removal of an old place ends with the program, and goes on with the next.
func TestSettleEnds(t *testing.T) {
	h := newHome(t)
	h.check(h.look().Run(t.Context(), Options{Copy: own}))
	ending, end := context.WithCancel(t.Context())
	if err := Settle(ending, h.r.Config, func(string) bool { end(); return false }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(h.r.Data, "tasks/1/task.json")); err != nil {
		t.Error(err)
	}
	h.settle()
	h.moved()

	// A move waits for it, no longer than its own context.
	h.check(one.Acquire(t.Context(), 1))
	defer one.Release(1)
	h.r.Data, h.r.Cache, h.r.Dir = filepath.Join(h.r.Dir, "piwork", "data"), filepath.Join(h.r.Dir, "piwork", "cache"), t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := h.look().Run(ctx, Options{Copy: own}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
