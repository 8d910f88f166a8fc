package uploads

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/vmhost/share"
)

// Names of uploads are a stranger's: whatever they are, each file lies in the
// folder, under a name of its own.
func TestUpload(t *testing.T) {
	u, err := New(filepath.Join(t.TempDir(), "uploads"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"a.jpg", "A.JPG", "a.jpg", "../../etc/passwd", `..\..\x.dll`, "", ".", "..", "/", ".bashrc", "a\x00b", "a\nb", "\xff", strings.Repeat("x", 5000), "-rf", "a:b", "  ", "~",
	} {
		file, _, err := u.Add(name, strings.NewReader("12345"), 5)
		if err != nil || filepath.Dir(file) != u.files {
			t.Errorf("%q: %s, %v", name, file, err)
		}
	}
	if list, err := os.ReadDir(u.files); err != nil || len(list) != 18 {
		t.Errorf("%v, %v", list, err)
	}
	if _, _, err := u.Add("b", strings.NewReader("12345"), 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than may be: %v", err)
	}
	if err := errors.Join(u.Close(), u.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(u.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after: %v", err)
	}
}

// A share takes real paths alone, and the data may be reached through a link.
func TestUploadBelowLink(t *testing.T) {
	base, err := share.RealPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "link")
	if err := errors.Join(os.Mkdir(filepath.Join(base, "data"), 0o700), os.Symlink("data", link)); err != nil {
		t.Fatal(err)
	}
	u, err := New(filepath.Join(link, "uploads"))
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	s := share.NewSet(share.Options{})
	defer s.Close()
	f := u.Folder()
	if _, err := s.Add(share.Folder{ID: f.ID, Path: f.Path, Name: f.Name, ReadOnly: true}, nil); err != nil {
		t.Error(err)
	}
}
