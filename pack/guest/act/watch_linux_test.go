package act

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/vmhost/wire"
)

// A watch says when it is ready, and then everything: in directories that are made later,
// too.
func TestWatch(t *testing.T) {
	for _, tt := range []struct {
		name         string
		path         string
		depth, limit int
		do           []func(dir string) error
		want         string
	}{
		{"a directory", "Letters", 0, 9, []func(string) error{
			func(d string) error { return os.WriteFile(d+"/new.txt", nil, 0o600) },
			func(d string) error { return os.Remove(d + "/a.txt") },
			func(d string) error { return os.WriteFile(d+"/Old/deep.txt", nil, 0o600) },
			func(d string) error { return os.Rename(d+"/new.txt", d+"/newer.txt") },
		}, "ready Letters, created Letters/new.txt, changed Letters/new.txt, removed Letters/a.txt, removed Letters/new.txt, created Letters/newer.txt"},
		{"and below", "Letters", 1, 9, []func(string) error{
			func(d string) error { return os.WriteFile(d+"/Old/deep.txt", nil, 0o600) },
			func(d string) error { return os.Remove(d + "/Old/deep.txt") },
		}, "ready Letters, created Letters/Old/deep.txt, changed Letters/Old/deep.txt, removed Letters/Old/deep.txt"},
		{"a file", "Letters/a.txt", 0, 9, []func(string) error{
			func(d string) error { return os.WriteFile(d+"/a.txt", []byte("x"), 0o600) },
		}, "ready Letters/a.txt, changed Letters/a.txt"},
		{"a directory with another name", "Letters", 1, 9, []func(string) error{
			func(d string) error { return os.Rename(d+"/Old", d+"/New") },
			func(d string) error { return os.WriteFile(d+"/end", nil, 0o600) },
		}, "ready Letters, removed Letters/Old, created Letters/New, created Letters/end"},
		{"and what is in it", "Letters", 1, 9, []func(string) error{
			func(d string) error { return os.Rename(d+"/Old", d+"/New") },
			func(d string) error { return os.WriteFile(d+"/New/deep.txt", nil, 0o600) },
		}, "ready Letters, removed Letters/Old, created Letters/New, created Letters/New/deep.txt"},
		{"one that moves out", "Letters", 1, 9, []func(string) error{
			func(d string) error { return os.Rename(d+"/Old", d+"/../../Old") },
			func(d string) error { return os.WriteFile(d+"/../../Old/deep.txt", nil, 0o600) },
			func(d string) error { return os.WriteFile(d+"/end", nil, 0o600) },
		}, "ready Letters, removed Letters/Old, created Letters/end"},
		{"so many and no more", "Letters", 0, 2, []func(string) error{
			func(d string) error { return os.WriteFile(d+"/1", nil, 0o600) },
			func(d string) error { return os.WriteFile(d+"/2", nil, 0o600) },
		}, "ready Letters, created Letters/1, changed Letters/1, more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			o := w.order(wire.FileWatch, path.Join("folders", tt.path), func(p *wire.FileParams) { p.Depth, p.Limit, p.WaitMS = tt.depth, tt.limit, wire.MaxWatchMS })
			line, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r, out := io.Pipe()
			go func() {
				Main(ctx, strings.NewReader(string(line)+"\n"), out, io.Discard)
				out.Close()
			}()
			var got []string
			wanted := strings.Split(tt.want, ", ")
			in := bufio.NewReader(r)
			for len(got) < len(wanted) {
				line, err := in.ReadBytes('\n')
				if err != nil {
					t.Fatalf("%q: %v", got, err)
				}
				n, err := wire.ParseNews(line)
				switch {
				case err != nil:
					t.Fatal(err)
				case n.File != nil:
					if n.File.More {
						got = append(got, "more")
					}
					continue
				case n.Failed != nil:
					t.Fatalf("%+v", *n.Failed)
				case n.Change.What == wire.ChangeReady:
					for _, do := range tt.do {
						if err := do(w.folders + "/Letters"); err != nil {
							t.Fatal(err)
						}
					}
				}
				rel := strings.TrimPrefix(strings.TrimPrefix(n.Change.Path, w.folders), "/")
				got = append(got, n.Change.What+" "+rel)
			}
			if now := strings.Join(got, ", "); now != tt.want {
				t.Errorf("%s", now)
			}
			cancel()
			_, _ = io.Copy(io.Discard, r)
		})
	}
}

// A directory that appears with directories in it is heard whole.
func TestWatchOfWhatAppears(t *testing.T) {
	w := newWorld(t)
	if err := os.MkdirAll(w.base+"/made/x/y", 0o755); err != nil {
		t.Fatal(err)
	}
	w.put(t, "made/x/y/deep.txt", "")
	o := w.order(wire.FileWatch, "folders", func(p *wire.FileParams) { p.Depth, p.Limit, p.WaitMS = 9, 9, wire.MaxWatchMS })
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	r, out := io.Pipe()
	defer r.Close()
	go func() {
		Main(t.Context(), strings.NewReader(string(line)+"\n"), out, io.Discard)
		out.Close()
	}()
	got := map[string]bool{}
	for in := bufio.NewReader(r); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		n, err := wire.ParseNews(line)
		if err != nil {
			t.Fatal(err)
		}
		if n.Change == nil {
			break
		}
		if n.Change.What == wire.ChangeReady {
			if err := os.Rename(w.base+"/made", w.folders+"/made"); err != nil {
				t.Fatal(err)
			}
			continue
		}
		rel, _ := filepath.Rel(w.folders, n.Change.Path)
		if got[n.Change.What+" "+rel] = true; n.Change.Path == w.folders+"/made/x/y/deep.txt" {
			break
		}
	}
	for _, want := range []string{"created made", "created made/x", "created made/x/y", "created made/x/y/deep.txt"} {
		if !got[want] {
			t.Errorf("%s is not heard: %v", want, got)
		}
	}
}

// A directory of which not all is watched is said: one that this user may not read, and one that
// has more than is read of it.
func TestWhatIsNotWatchedIsSaid(t *testing.T) {
	w := newWorld(t)
	for i := range wire.MaxEntries {
		w.put(t, fmt.Sprintf("folders/Letters/Old/%d", i), "")
	}
	real := addWatch
	defer func() { addWatch = real }()
	addWatch = func(fd int, path string, mask uint32) (int, error) { // root reads everything
		if at, err := os.Readlink(path); err == nil && strings.HasSuffix(at, "/Closed") {
			return 0, unix.EACCES
		}
		return real(fd, path, mask)
	}
	if err := os.Mkdir(w.folders+"/Closed", 0o755); err != nil {
		t.Fatal(err)
	}
	said := do(t, w.order(wire.FileWatch, "folders", func(p *wire.FileParams) { p.Depth, p.Limit, p.WaitMS = 3, 9, 1 }), "")
	got := map[string]bool{}
	for _, c := range said.changes {
		got[c.What+" "+strings.TrimPrefix(c.Path, w.folders)] = true
	}
	if len(got) != 3 || !got["lost /Closed"] || !got["lost /Letters/Old"] || !got["ready "] {
		t.Errorf("%v %+v", got, said.Failed)
	}
}

// The system watches so many files of a user and no more, and no disk is full then: the rest is
// lost, and without any there is no watch.
func TestWatchesAreUsedUp(t *testing.T) {
	defer func(before func(int, string, uint32) (int, error)) { addWatch = before }(addWatch)
	for left, want := range map[int]string{0: wire.ActFailed, 1: "lost ready"} {
		n, real := 0, unix.InotifyAddWatch
		addWatch = func(fd int, path string, mask uint32) (int, error) {
			if n++; n > left {
				return 0, unix.ENOSPC
			}
			return real(fd, path, mask)
		}
		w := newWorld(t)
		said := do(t, w.order(wire.FileWatch, "folders/Letters", func(p *wire.FileParams) { p.Depth, p.Limit, p.WaitMS = 1, 9, 1 }), "")
		var got []string
		for _, c := range said.changes {
			got = append(got, c.What)
		}
		if said.Failed != nil {
			got = append(got, said.Failed.Code)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with %d watches: %q %+v", left, got, said.Failed)
		}
	}
}
