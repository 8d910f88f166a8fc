package virtiofs_test

import (
	"os"
	"testing"

	"github.com/hanwen/go-fuse/v2/fuse"
	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/conformance"
)

// A guest believes in a directory for a moment after the person has put something else in
// its place. No call goes through it to anywhere else, and ESTALE has the guest's kernel
// look the path up again.
func TestDirectoryThatIsNoneAnyMore(t *testing.T) {
	for what, replace := range map[string]func(h *host, dir string) error{
		"a file":                func(_ *host, dir string) error { return os.WriteFile(dir, []byte("secret"), 0o600) },
		"a link":                func(h *host, dir string) error { return os.Symlink(h.path("rw/other"), dir) },
		"a link that leads out": func(h *host, dir string) error { return os.Symlink(h.path("outside"), dir) },
	} {
		t.Run(what, func(t *testing.T) {
			h := newHost(t, share.Options{})
			h.check(os.MkdirAll(h.path("rw/other/sub"), 0o755))
			h.check(os.WriteFile(h.path("rw/other/file"), nil, 0o600))
			dir, sub, file := h.at("rw/dir"), h.at("rw/dir/sub"), h.at("rw/file")
			h.check(os.RemoveAll(h.path("rw/dir")))
			h.check(replace(h, h.path("rw/dir")))
			list := func(n uint64) error { _, err := h.opendir(n); return err }
			get := func(n uint64) error { _, err := h.getattr(n, 0, 0); return err }
			call := func(op uint32, n uint64, fields ...any) error { _, err := h.call(op, n, fields...); return err }
			rw := h.at("rw")
			for what, err := range map[string]error{
				"look up":      call(opLookup, dir, "file"),
				"look further": call(opLookup, sub, "file"),
				"create":       call(opCreate, dir, uint32(conformance.ReadWrite), uint32(0o644), uint32(0), uint32(0), "new"),
				"mkdir":        call(opMkdir, dir, uint32(0o755), uint32(0), "new"),
				"symlink":      call(opSymlink, dir, "new", "target"),
				"link":         call(opLink, dir, file, "new"),
				"unlink":       call(opUnlink, dir, "file"),
				"rmdir":        call(opRmdir, dir, "sub"),
				"move out":     call(opRename2, dir, rw, uint32(0), uint32(0), "file", "moved"),
				"move in":      call(opRename2, rw, dir, uint32(0), uint32(0), "file", "moved"),
				"list":         list(dir),
				"list further": list(sub),
				"stat":         get(dir),
				"stat further": get(sub),
				"chmod":        h.setattr(sub, attrs{valid: fuse.FATTR_MODE, mode: 0o777}),
				"attributes":   call(opListxattr, sub, uint32(0), uint32(0)),
			} {
				if !isErrno(err, linux.ESTALE) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if list, err := os.ReadDir(h.path("rw/other")); len(list) != 2 {
				t.Errorf("where the link leads is %v, %v", list, err)
			}
			if n := h.at("rw/dir"); n == dir {
				t.Error("what is there now has the directory's number")
			}
		})
	}
}
