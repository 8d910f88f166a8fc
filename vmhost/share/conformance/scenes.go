package conformance

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/hugelgupf/p9/linux"
)

// scenes are what takes more than one folder or one hand.
var scenes = map[string]func(h *host){
	"the virtual root": func(h *host) {
		g := h.g
		names, err := g.List("")
		h.check(err)
		if want := []string{".", "..", "ro", "rw"}; !slices.Equal(names, want) {
			h.t.Errorf("names %q", names)
		}
		if a, err := g.Stat(""); err != nil || a.Mode != typeDir|0o555 || a.NLink != 4 || a.UID != 1000 {
			h.t.Errorf("%+v %v", a, err)
		}
		for what, err := range map[string]error{
			"mkdir":   g.Mkdir("x", 0o755),
			"symlink": g.Symlink("x", "y"),
			"mknod":   g.Mknod("x", typeFile|0o644),
			"unlink":  g.Unlink("rw"),
			"rmdir":   g.Rmdir("rw"),
			"rename":  g.Rename("rw", "x"),
			"chmod":   g.Chmod("", 0o777),
			"create":  second(g.Create("x", ReadWrite, 0o644)),
		} {
			if err := expect(err, linux.EROFS); err != nil {
				h.t.Errorf("%s: %v", what, err)
			}
		}
		_, err = g.Stat("nothing")
		if err := expect(err, linux.ENOENT); err != nil {
			h.t.Error(err)
		}
	},
	"from one folder to another": func(h *host) {
		for what, err := range map[string]error{
			"rename":  h.g.Rename("rw/file", "ro/file"),
			"link":    h.g.Link("ro/file", "rw/link"),
			"upwards": h.g.Rename("rw/file", "file"),
		} {
			if err := expect(err, linux.EXDEV); err != nil {
				h.t.Errorf("%s: %v", what, err)
			}
		}
	},
	"folders come and go": func(h *host) {
		f, err := h.g.Open("rw/file", ReadWrite)
		h.check(err)
		h.check(os.Mkdir(h.path("later"), 0o755))
		h.check(os.WriteFile(h.path("later/x"), []byte("later"), 0o644))
		h.add("later", false)
		if got, err := read(h.g, "later/x"); got != "later" {
			h.t.Errorf("%q %v", got, err)
		}
		h.set.Remove("rw")
		_, err = h.g.Stat("rw")
		if err := expect(err, linux.ENOENT); err != nil {
			h.t.Error(err)
		}
		_, err = f.ReadAt(make([]byte, 1), 0)
		if err := expect(err, linux.ESTALE, linux.ENODEV); err != nil {
			h.t.Error(err)
		}
		names, err := h.g.List("")
		if slices.Contains(names, "rw") || !slices.Contains(names, "later") {
			h.t.Errorf("%q %v", names, err)
		}
		h.check(f.Close())
	},
	// A change on the host is seen with the next call.
	"the person works in the folder": func(h *host) {
		for i := range 20 {
			text := strings.Repeat("x", i)
			h.check(os.WriteFile(h.path("rw/file"), []byte(text), 0o644))
			if got, err := read(h.g, "rw/file"); got != text {
				h.t.Errorf("%q %v", got, err)
			}
			h.check(os.WriteFile(h.path("rw/new"), []byte(text), 0o644))
			h.check(os.Rename(h.path("rw/new"), h.path("rw/file"))) // as editors do
			a, err := h.g.Stat("rw/file")
			if a.Size != uint64(i) {
				h.t.Errorf("%+v %v", a, err)
			}
			h.check(os.Remove(h.path("rw/file")))
			_, err = h.g.Stat("rw/file")
			if err := expect(err, linux.ENOENT); err != nil {
				h.t.Error(err)
			}
			h.check(os.Mkdir(h.path("rw/file"), 0o755)) // something else by the same name
			a, err = h.g.Stat("rw/file")
			if a.Mode&typeMask != typeDir {
				h.t.Errorf("%+v %v", a, err)
			}
			h.check(os.Remove(h.path("rw/file")))
		}
	},
	"links that lead out": func(h *host) {
		h.check(os.Mkdir(h.path("outside"), 0o755))
		h.check(os.WriteFile(h.path("outside/secret"), []byte("secret"), 0o644))
		for name, target := range map[string]string{"rel": "../outside/secret", "abs": h.path("outside/secret"), "dir": "../outside"} {
			name = "l" + name
			h.check(os.Symlink(target, h.path("rw/"+name)))
			_, err := h.g.Open("rw/"+name, ReadWrite)
			if err := expect(err, linux.ELOOP); err != nil {
				h.t.Errorf("open: %v", err)
			}
			_, err = h.g.Stat("rw/" + name + "/secret")
			if err := expect(err, linux.ENOTDIR, linux.ELOOP); err != nil {
				h.t.Errorf("below: %v", err)
			}
			if err := expect(h.g.Truncate("rw/"+name, 0), linux.ELOOP); err != nil {
				h.t.Errorf("truncate: %v", err)
			}
			if got, err := h.g.Readlink("rw/" + name); got != target {
				h.t.Errorf("%q %v", got, err)
			}
		}
		if b, err := os.ReadFile(h.path("outside/secret")); string(b) != "secret" {
			h.t.Errorf("%q %v", b, err)
		}
	},
	"a large directory": func(h *host) {
		const n = 3000
		h.check(os.Mkdir(h.path("rw/many"), 0o755))
		want := []string{".", ".."}
		for i := range n {
			name := fmt.Sprintf("file %d of many with a name", i)
			want = append(want, name)
			h.check(os.WriteFile(h.path("rw/many/"+name), nil, 0o644))
		}
		slices.Sort(want)
		got, err := h.g.List("rw/many")
		h.check(err)
		if slices.Sort(got); !slices.Equal(got, want) {
			h.t.Errorf("%d names instead of %d", len(got), len(want))
		}
	},
	"many at once": func(h *host) {
		var wg sync.WaitGroup
		for w := range 6 {
			wg.Go(func() {
				if err := work(h.g, fmt.Sprintf("rw/w%d", w)); err != nil {
					h.t.Errorf("%d: %v", w, err)
				}
			})
		}
		wg.Wait()
	},
}

func second[T any](_ T, err error) error { return err }

func read(g Guest, path string) (string, error) {
	f, err := g.Open(path, ReadOnly)
	if err != nil {
		return "", err
	}
	b := make([]byte, 1000)
	n, err := f.ReadAt(b, 0)
	return string(b[:n]), errors.Join(err, f.Close())
}

// work is what one process does in a directory of its own.
func work(g Guest, dir string) error {
	if err := g.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for i := range 20 {
		name := fmt.Sprintf("%s/%d", dir, i)
		f, err := g.Create(name, ReadWrite|Exclusive, 0o644)
		if err != nil {
			return err
		}
		if err := write(f, name, 0); err != nil {
			return err
		}
		if err := g.Rename(name, name+"b"); err != nil {
			return err
		}
		if got, err := read(g, name+"b"); got != name {
			return fmt.Errorf("%q %w", got, err)
		}
		if i%2 == 0 {
			if err := g.Unlink(name + "b"); err != nil {
				return err
			}
		}
	}
	names, err := g.List(dir)
	if len(names) != 12 {
		return fmt.Errorf("%q %w", names, err)
	}
	return nil
}
