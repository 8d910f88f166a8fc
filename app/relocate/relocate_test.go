package relocate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"
)

// home is a piwork on a disk with much room.
type home struct {
	t *testing.T
	r Request
}

func newHome(t *testing.T) *home {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, r: request(base)}
	h.put("data/tasks/1/task.json", "one")
	h.put("data/tasks/1/journal/log", "of its own kind")
	h.put("data/runtime/1.0/image", strings.Repeat("\x00", 3<<20)+"end")
	h.put("data/empty/.keep", "")
	h.put("data/controller.lock", "")
	h.put("cache/proofs.json", "{}")
	h.put("cache/templates/x/memory", "made again")
	h.put("cache/samples/a.png", "a person's")
	h.put("config/config.json", "{}")
	h.put("new/other", "a person's")
	if runtime.GOOS != "windows" {
		h.check(os.Symlink("1.0", filepath.Join(base, "data/runtime/current")))
		h.check(os.Chmod(filepath.Join(base, "data/runtime/1.0/image"), 0o400))
	}
	h.check(os.Chtimes(filepath.Join(base, "data/tasks/1/task.json"), time.Time{}, time.Unix(1e9, 5000)))
	return h
}

func request(base string) Request {
	at := func(name string) string { return filepath.Join(base, name) }
	return Request{
		Dir: at("new"), Config: at("config"), Data: at("data"), Cache: at("cache"), KeepCache: []string{"samples"},
		Skip: func(cache bool, rel string) bool {
			return cache && (rel == "templates" || rel == "samples") || !cache && rel == "controller.lock"
		},
		Free: func(context.Context, string) (int64, error) { return 1 << 40, nil },
		kind: func(string) (diskKind, error) { return diskLocal, nil },
	}
}

// own copies a journal as something with a way of its own.
func own(_ context.Context, rel, from, to string, told func(int64)) (bool, error) {
	if !strings.HasSuffix(rel, "/journal") {
		return false, nil
	}
	data, err := os.ReadFile(filepath.Join(from, "log"))
	told(int64(len(data)))
	return true, errors.Join(err, os.Mkdir(to, 0o700), os.WriteFile(filepath.Join(to, "log"), append(data, ", copied"...), 0o600))
}

func (h *home) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) base() string { return filepath.Dir(h.r.Config) }

func (h *home) put(rel, data string) {
	h.t.Helper()
	path := filepath.Join(h.base(), rel)
	h.check(os.MkdirAll(filepath.Dir(path), 0o700))
	h.check(os.WriteFile(path, []byte(data), 0o600))
}

// tree describes everything below dirs but the pointer.
func (h *home) tree(dirs ...string) string {
	h.t.Helper()
	var out []string
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(h.base(), dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(h.base(), path)
			if rel == filepath.Join("config", pointerName) {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if d.Type() == fs.ModeSymlink {
				target, err := os.Readlink(path)
				out = append(out, fmt.Sprintf("%s -> %s", filepath.ToSlash(rel), target))
				return err
			}
			data, err := os.ReadFile(path)
			out = append(out, fmt.Sprintf("%s %s %d %.20q", filepath.ToSlash(rel), info.Mode(), len(data), strings.TrimLeft(string(data), "\x00")))
			return err
		})
		h.check(err)
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

func (h *home) look() Plan {
	h.t.Helper()
	p, err := Look(h.t.Context(), h.r)
	h.check(err)
	return p
}

func (h *home) settle() {
	h.t.Helper()
	h.check(Settle(h.t.Context(), h.r.Config, func(string) bool { return false }))
}

// moved checks that everything is in the new place and nothing in the old.
func (h *home) moved() {
	h.t.Helper()
	p, err := Read(h.r.Config)
	h.check(err)
	h.check(p.Check())
	if p.Data != filepath.Join(h.r.Dir, "piwork", "data") || p.Cache != filepath.Join(h.r.Dir, "piwork", "cache") || p.Begun != nil || len(p.Old) > 0 {
		h.t.Errorf("the pointer: %+v", p)
	}
	own, image, link := "-rw-------", "-r--------", "\nnew/piwork/data/runtime/current -> 1.0"
	if runtime.GOOS == "windows" { // os.FileMode says who may write and no more; [newHome] makes no link
		own, image, link = "-rw-rw-rw-", "-r--r--r--", ""
	}
	want := `cache/samples/a.png ` + own + ` 10 "a person's"
config/config.json ` + own + ` 2 "{}"
new/other ` + own + ` 10 "a person's"
new/piwork/cache/proofs.json ` + own + ` 2 "{}"
new/piwork/data/empty/.keep ` + own + ` 0 ""
new/piwork/data/runtime/1.0/image ` + image + ` 3145731 "end"` + link + `
new/piwork/data/tasks/1/journal/log ` + own + ` 23 "of its own kind, cop"
new/piwork/data/tasks/1/task.json ` + own + ` 3 "one"`
	got := h.tree("cache", "config", "new")
	var lines []string
	for _, l := range strings.Split(got, "\n") {
		if !strings.HasPrefix(l, "new/piwork/place.json ") {
			lines = append(lines, l)
		}
	}
	if got := strings.Join(lines, "\n"); got != want {
		h.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := os.Lstat(h.r.Data); !errors.Is(err, fs.ErrNotExist) {
		h.t.Errorf("the old data: %v", err)
	}
	info, err := os.Stat(filepath.Join(p.Data, "tasks/1/task.json"))
	h.check(err)
	if !info.ModTime().Equal(time.Unix(1e9, 5000)) {
		h.t.Errorf("its time is %v", info.ModTime())
	}
}

func TestMove(t *testing.T) {
	h := newHome(t)
	p := h.look()
	if p.Files != 5 || p.Bytes < 22 || p.Need != p.Bytes+spare || p.To != filepath.Join(h.r.Dir, "piwork") {
		t.Errorf("%+v", p)
	}
	told, arrived := int64(0), ""
	h.check(p.Run(t.Context(), Options{
		Copy: own, Told: func(n int64) { told = n },
		Arrived: func(data string) error {
			arrived = data
			p, err := Read(h.r.Config)
			if err == nil && p.Data != "" {
				err = errors.New("it is in use already")
			}
			return err
		},
	}))
	if arrived != filepath.Join(p.To, "data") || told < p.Bytes {
		t.Errorf("%q, %d of %d bytes", arrived, told, p.Bytes)
	}
	h.check(Settle(h.t.Context(), h.r.Config, func(string) bool { return true }))
	if _, err := os.Stat(filepath.Join(h.r.Data, "tasks/1/task.json")); err != nil {
		t.Errorf("an old place in use was removed: %v", err)
	}
	h.settle()
	h.moved()
	h.settle()
	h.moved()

	// To a further one, and back to where it was.
	for _, to := range []string{"third", "new"} {
		now, err := Read(h.r.Config)
		h.check(err)
		h.r.Data, h.r.Cache, h.r.Dir = now.Data, now.Cache, filepath.Join(h.base(), to)
		h.check(os.MkdirAll(h.r.Dir, 0o700))
		h.check(h.look().Run(t.Context(), Options{}))
		h.settle()
		if _, err := os.Lstat(filepath.Dir(now.Data)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the place before %s: %v", to, err)
		}
	}
	h.moved()
}

func TestRefusals(t *testing.T) {
	h := newHome(t)
	at := func(name string) string { return filepath.Join(h.base(), filepath.FromSlash(name)) }
	h.put("taken/piwork/x", "")
	h.check(os.MkdirAll(at("free/piwork"), 0o700))
	h.check(os.MkdirAll(at("shared/deep"), 0o700))
	h.check(os.MkdirAll(at("run"), 0o700))
	h.r.Shared, h.r.Own = []string{at("shared")}, []string{at("run")}
	rows := []struct {
		name, dir string
		want      RefusedCode
		kind      diskKind
	}{
		{"a part of a path", "new", RefusedRelative, 0},
		{"nothing", "", RefusedRelative, 0},
		{"missing", at("none"), RefusedMissing, 0},
		{"in a file", at("new/other/x"), RefusedMissing, 0},
		{"a file", at("new/other"), RefusedNoFolder, 0},
		{"in the data", at("data/tasks"), RefusedInside, 0},
		{"the data", at("data"), RefusedInside, 0},
		{"in the cache", at("cache/samples"), RefusedInside, 0},
		{"in the settings", at("config"), RefusedInside, 0},
		{"with the sockets", at("run"), RefusedInside, 0},
		{"shared", at("shared"), RefusedShared, 0},
		{"in a shared one", at("shared/deep"), RefusedShared, 0},
		{"taken", at("taken"), RefusedTaken, 0},
		{"on another computer", at("new"), RefusedNetwork, diskNetwork},
		{"in memory", at("new"), RefusedMemory, diskMemory},
		{"good", at("new"), "", 0},
		{"an empty one is there", at("free"), "", 0},
	}
	if runtime.GOOS != "windows" {
		h.check(os.Symlink(at("data"), at("new/link")))
		h.check(os.Symlink(at("free"), at("link")))
		rows = append(rows, rows[0], rows[0])
		rows[len(rows)-2] = struct {
			name, dir string
			want      RefusedCode
			kind      diskKind
		}{"a link into the data", at("new/link"), RefusedInside, 0}
		rows[len(rows)-1] = struct {
			name, dir string
			want      RefusedCode
			kind      diskKind
		}{"a link to a good one", at("link"), "", 0}
	}
	before := h.tree(".")
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			req := h.r
			req.Dir = r.dir
			req.kind = func(string) (diskKind, error) { return r.kind, nil }
			_, err := Look(t.Context(), req)
			var refused *RefusedError
			switch {
			case r.want == "" && err != nil:
				t.Error(err)
			case r.want != "" && (!errors.As(err, &refused) || refused.Code != r.want || refused.Path != r.dir):
				t.Errorf("%v, want %s", err, r.want)
			}
		})
	}
	if runtime.GOOS != "windows" && os.Getuid() != 0 {
		h.check(os.Chmod(at("free"), 0o500))
		req := h.r
		req.Dir = at("free")
		var refused *RefusedError
		if _, err := Look(t.Context(), req); !errors.As(err, &refused) || refused.Code != RefusedWrite {
			t.Errorf("read-only: %v", err)
		}
		h.check(os.Chmod(at("free"), 0o700))
	}
	h.r.Free = func(context.Context, string) (int64, error) { return spare, nil }
	var room *RoomError
	if _, err := Look(t.Context(), h.r); !errors.As(err, &room) || room.Free != spare || room.Need <= spare {
		t.Errorf("too little room: %v", err)
	}
	if got := h.tree("."); got != before {
		t.Errorf("looking changed something:\n%s", got)
	}
}

// Whatever ends a move early, everything is as it was.
func TestMoveThatFails(t *testing.T) {
	enough := errors.New("enough")
	rows := map[string]func(h *home, stop context.CancelCauseFunc) Options{
		"cancelled while it copies": func(_ *home, stop context.CancelCauseFunc) Options {
			return Options{Copy: own, Told: func(int64) { stop(enough) }}
		},
		"cancelled at the end": func(_ *home, stop context.CancelCauseFunc) Options {
			return Options{Copy: own, step: func(name string) {
				if name == "synced" {
					stop(enough)
				}
			}}
		},
		"a journal cannot be copied": func(*home, context.CancelCauseFunc) Options {
			return Options{Copy: func(_ context.Context, rel, _, to string, _ func(int64)) (bool, error) {
				if !strings.HasSuffix(rel, "/journal") {
					return false, nil
				}
				return true, errors.Join(enough, os.Mkdir(to, 0o700))
			}}
		},
		"the new one cannot be locked": func(*home, context.CancelCauseFunc) Options {
			return Options{Copy: own, Arrived: func(string) error { return enough }}
		},
		"the name was taken meanwhile": func(h *home, _ context.CancelCauseFunc) Options {
			return Options{Copy: own, step: func(name string) {
				if name == "synced" {
					h.put("new/piwork/x", "a person's")
				}
			}}
		},
	}
	for name, options := range rows {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			p, before := h.look(), h.tree(".")
			ctx, stop := context.WithCancelCause(t.Context())
			err := p.Run(ctx, options(h, stop))
			if err == nil || !errors.Is(err, enough) && name != "the name was taken meanwhile" {
				t.Errorf("%v", err)
			}
			got := h.tree(".")
			if name == "the name was taken meanwhile" {
				if data, err := os.ReadFile(filepath.Join(p.To, "x")); err != nil || string(data) != "a person's" {
					t.Errorf("%q, %v", data, err)
				}
				h.check(os.RemoveAll(p.To))
				got = h.tree(".")
			}
			if got != before {
				t.Errorf("got\n%s\nwant\n%s", got, before)
			}
			if now, err := Read(h.r.Config); err != nil || now.Begun != nil || now.Data != "" {
				t.Errorf("%+v, %v", now, err)
			}
			h.check(p.Run(t.Context(), Options{Copy: own}))
			h.settle()
			h.moved()
		})
	}
}

func TestGone(t *testing.T) {
	h := newHome(t)
	h.check(h.look().Run(t.Context(), Options{Copy: own}))
	p, err := Read(h.r.Config)
	h.check(err)
	h.check(p.Check())
	away := filepath.Join(h.base(), "unplugged")
	h.check(os.Rename(h.r.Dir, away))
	var gone *GoneError
	if err := p.Check(); !errors.As(err, &gone) || gone.Dir != filepath.Join(h.r.Dir, "piwork") {
		t.Errorf("unplugged: %v", err)
	}
	h.put("new/piwork/place.json", `{"v":1,"id":"another"}`)
	h.put("new/piwork/data/x", "")
	h.put("new/piwork/cache/x", "")
	if err := p.Check(); !errors.As(err, &gone) {
		t.Errorf("another one: %v", err)
	}
	for _, bad := range []string{"", "{", `{"data":"/x"}`, `{"data":"x","cache":"y","id":"z"}`, `{"data":"/x","cache":"/y"}`} {
		h.put("config/"+pointerName, bad)
		if p, err := Read(h.r.Config); err == nil || p.Data != "" {
			t.Errorf("%s: %+v", bad, p)
		}
	}
}
