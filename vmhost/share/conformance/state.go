package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/wire"
)

// stateBytes is what the state of the scenes may hold.
const stateBytes = 1 << 20

// withState is a host whose set has a state, with an upload and a secret beside it.
func (h *host) withState() {
	h.t.Helper()
	h.check(os.MkdirAll(h.path("state/uploads/dir"), 0o700))
	h.check(os.WriteFile(h.path("state/uploads/photo"), []byte("of the person"), 0o644))
	h.check(os.WriteFile(h.path("secret"), []byte("beside it"), 0o644))
	h.check(h.set.AddState(h.path("state"), stateBytes))
}

// fill makes a file of a length.
func fill(g Guest, path string, size int) error {
	f, err := g.Create(path, ReadWrite|Exclusive, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for piece, off := bytes.Repeat([]byte("x"), 64<<10), 0; off < size; off += len(piece) {
		if _, err := f.WriteAt(piece[:min(len(piece), size-off)], int64(off)); err != nil {
			return err
		}
	}
	return nil
}

// stateScenes are about what belongs to a task and not to a person.
var stateScenes = map[string]func(h *host){
	"the state is found and not listed, and nothing of it is journalled": func(h *host) {
		_, err := h.g.Stat(wire.StateName)
		h.check(expect(err, linux.ENOENT))
		h.withState()
		names, err := h.g.List("")
		if want := []string{".", "..", "ro", "rw"}; err != nil || !slices.Equal(names, want) {
			h.t.Errorf("names %q %v", names, err)
		}
		h.check(h.g.Mkdir(".state/pi", 0))
		h.check(fill(h.g, ".state/pi/session", 5))
		h.check(h.g.Rename(".state/pi/session", ".state/pi/s"))
		h.check(h.g.Link(".state/pi/s", ".state/pi/t"))
		h.check(h.g.Chmod(".state/pi", 0))
		h.check(h.g.Chmod(".state/pi/t", 0))
		if b, err := os.ReadFile(h.path("state/pi/t")); err != nil || string(b) != "xxxxx" {
			h.t.Errorf("the host reads %q %v", b, err)
		}
		h.check(h.g.Unlink(".state/pi/s"))
		if list, err := h.j.Changes(h.t.Context()); err != nil || len(list) > 0 {
			h.t.Errorf("changes %+v %v", list, err)
		}
		if _, err := h.j.Undo(h.t.Context(), nil, journal.UndoOptions{}); err != nil {
			h.t.Error(err)
		}
		h.check(os.Mkdir(h.path(wire.StateName), 0o755))
		f, err := h.set.Add(share.Folder{ID: "same", Path: h.path(wire.StateName), ReadOnly: true}, nil)
		if err != nil || f.Name == wire.StateName {
			h.t.Errorf("a folder of that name is %q, %v", f.Name, err)
		}
		if err := h.set.AddState(h.path("state"), 0); err == nil {
			h.t.Error("there are two states")
		}
		h.set.Remove(wire.StateName)
		h.set.Close()
		if _, err := h.g.Stat(".state/pi"); err == nil {
			h.t.Error("the state of a closed set is there")
		}
	},
	"nothing leads out of the state": func(h *host) {
		h.withState()
		for _, p := range []string{".state/..", ".state/../secret", ".state/uploads/../../secret", ".state/.", ".state/a/../../secret"} {
			if _, err := h.g.Stat(p); err == nil {
				h.t.Errorf("%s is there", p)
			}
		}
		for name, target := range map[string]string{"up": "..", "secret": "../secret", "abs": h.path("secret"), "in": "uploads", "photo": "uploads/photo"} {
			h.check(h.g.Symlink(target, ".state/"+name))
			if a, err := h.g.Stat(".state/" + name); err != nil || a.Mode&typeMask != 0o120000 {
				h.t.Errorf("%s: %o %v", name, a.Mode, err)
			}
			h.check(expect(second(h.g.Open(".state/"+name, ReadWrite)), linux.ELOOP))
			h.check(expect(h.g.Mkdir(".state/"+name+"/x", 0o755), linux.ENOTDIR, linux.ELOOP))
		}
		for what, err := range map[string]error{
			"link in":    h.g.Link("ro/file", ".state/x"),
			"link out":   h.g.Link(".state/uploads/photo", "rw/x"),
			"rename in":  h.g.Rename("rw/file", ".state/x"),
			"rename out": h.g.Rename(".state/up", "rw/x"),
		} {
			if err := expect(err, linux.EXDEV); err != nil {
				h.t.Errorf("%s: %v", what, err)
			}
		}
		if b, err := os.ReadFile(h.path("secret")); err != nil || string(b) != "beside it" {
			h.t.Errorf("%q %v", b, err)
		}
	},
	"uploads are read-only": func(h *host) {
		h.withState()
		h.check(fill(h.g, ".state/mine", 3))
		before := h.tree("state/uploads")
		f, err := h.g.Open(".state/uploads/photo", ReadOnly)
		h.check(err)
		b := make([]byte, 20)
		if n, err := f.ReadAt(b, 0); err != nil || string(b[:n]) != "of the person" {
			h.t.Errorf("%q %v", b[:n], err)
		}
		h.check(expect(second(f.WriteAt([]byte("x"), 0)), linux.EBADF, linux.EROFS))
		h.check(expect(f.Truncate(0), linux.EBADF, linux.EROFS, linux.EINVAL))
		h.check(f.Close())
		for what, err := range map[string]error{
			"write":      second(h.g.Open(".state/uploads/photo", WriteOnly)),
			"truncate":   h.g.Truncate(".state/uploads/photo", 0),
			"empty":      second(h.g.Open(".state/uploads/photo", Truncate)),
			"create":     second(h.g.Create(".state/uploads/x", ReadWrite, 0o644)),
			"deep":       second(h.g.Create(".state/uploads/dir/x", ReadWrite, 0o644)),
			"mkdir":      h.g.Mkdir(".state/uploads/x", 0o755),
			"mknod":      h.g.Mknod(".state/uploads/x", typeFile|0o644),
			"symlink":    h.g.Symlink("photo", ".state/uploads/x"),
			"unlink":     h.g.Unlink(".state/uploads/photo"),
			"rmdir":      h.g.Rmdir(".state/uploads/dir"),
			"chmod":      h.g.Chmod(".state/uploads/photo", 0o777),
			"chmod all":  h.g.Chmod(".state/uploads", 0o777),
			"chtimes":    h.g.Chtimes(".state/uploads/photo", time.Unix(1, 0)),
			"link in":    h.g.Link(".state/mine", ".state/uploads/x"),
			"link out":   h.g.Link(".state/uploads/photo", ".state/x"), // it would have a name that can be written to
			"rename in":  h.g.Rename(".state/mine", ".state/uploads/x"),
			"rename out": h.g.Rename(".state/uploads/photo", ".state/x"),
			"replace":    h.g.Rename(".state/mine", ".state/uploads/photo"),
			"move":       h.g.Rename(".state/uploads", ".state/x"),
			"remove":     h.g.Rmdir(".state/uploads"),
			"spelling":   h.g.Mkdir(".state/Uploads/x", 0o755),
			"another":    h.g.Mkdir(".state/UPLOADS", 0o755),
		} {
			if err := expect(err, linux.EROFS); err != nil && (what != "spelling" || expect(err, linux.ENOENT) != nil) {
				h.t.Errorf("%s: %v", what, err)
			}
		}
		if now := h.tree("state/uploads"); now != before {
			h.t.Errorf("uploads are\n%s\nand were\n%s", now, before)
		}
	},
	"a state is bounded": func(h *host) {
		h.check(os.MkdirAll(h.path("state/old"), 0o755))
		h.check(os.WriteFile(h.path("state/old/file"), make([]byte, stateBytes/4), 0o644))
		h.withState()
		h.check(expect(fill(h.g, ".state/big", stateBytes*3/4), linux.ENOSPC)) // what was there counts
		h.check(h.g.Unlink(".state/big"))
		h.check(fill(h.g, ".state/half", stateBytes/2))
		h.check(expect(h.g.Truncate(".state/half", 2*stateBytes), linux.ENOSPC))
		h.check(expect(h.g.Truncate(".state/half", 1<<62), linux.ENOSPC))
		f, err := h.g.Open(".state/half", ReadWrite)
		h.check(err)
		h.check(expect(second(f.WriteAt([]byte("x"), 1<<40)), linux.ENOSPC))
		if n, err := f.WriteAt([]byte("y"), 0); n != 1 || err != nil {
			h.t.Errorf("what is there cannot be written over: %d %v", n, err)
		}
		h.check(expect(fill(h.g, ".state/quarter", stateBytes/4), linux.ENOSPC)) // names count too
		h.check(h.g.Unlink(".state/quarter"))
		h.check(h.g.Unlink(".state/half"))
		h.check(expect(fill(h.g, ".state/again", stateBytes/2), linux.ENOSPC)) // it is open, and there
		h.check(h.g.Unlink(".state/again"))
		h.check(f.Close())
		for range 3 { // nothing is lost in counting
			h.check(fill(h.g, ".state/a", stateBytes/2))
			h.check(h.g.Link(".state/a", ".state/b"))
			h.check(h.g.Unlink(".state/a"))
			h.check(fill(h.g, ".state/c", 1))
			h.check(h.g.Rename(".state/c", ".state/b")) // over the last name of it
			h.check(fill(h.g, ".state/d", stateBytes/2))
			h.check(h.g.Truncate(".state/d", 1))
			h.check(h.g.Unlink(".state/d"))
			h.check(h.g.Unlink(".state/b"))
		}
		h.check(h.g.Mkdir(".state/many", 0o755))
		made := 0
		for ; err == nil && made < stateBytes; made++ {
			err = h.g.Mknod(filepath.ToSlash(filepath.Join(".state/many", strings.Repeat("n", 1+made%200)+string(rune('a'+made/200)))), typeFile|0o644)
		}
		if expect(err, linux.ENOSPC) != nil || made < 100 || made > stateBytes/4096 {
			h.t.Errorf("%d files without content: %v", made, err)
		}
		if blocks, _, err := h.g.Statfs(".state"); err != nil || blocks != stateBytes/4096 {
			h.t.Errorf("statfs: %d blocks, %v", blocks, err)
		}
	},
}
