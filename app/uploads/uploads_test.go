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
	u, err := NewStore(filepath.Join(t.TempDir(), "uploads")).New("", nil)
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
	u, err := NewStore(filepath.Join(link, "uploads")).New("", nil)
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

// endless never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// Uploads leave the disk half of what they find free on it, and come to an end for one program: until
// they are closed.
func TestUploadsLeaveRoom(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "uploads"))
	has := func() (sum uint64) {
		_ = filepath.WalkDir(s.dir, func(_ string, e os.DirEntry, _ error) error {
			if e != nil && e.Type().IsRegular() {
				if i, err := e.Info(); err == nil {
					sum += uint64(i.Size())
				}
			}
			return nil
		})
		return sum
	}
	const disk = 16 << 20
	s.free = func(string) (uint64, error) { return disk - has(), nil }
	one, err := s.New("", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := one.Add("a", endless{}, 1<<40); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if got := has(); got < disk/2-step || got > disk/2 {
		t.Errorf("%d bytes", got)
	}
	other, err := s.New("ci@1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := other.Add("a", strings.NewReader("a"), 1); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	s.free = func(string) (uint64, error) { return 1 << 50, nil }
	s.by["ci@1"] = MaxOfClient - step
	if _, _, err := other.Add("b", endless{}, 1<<40); !errors.Is(err, ErrTooMany) {
		t.Error(err)
	}
	if err := other.Close(); err != nil || s.all != 0 || s.by["ci@1"] != MaxOfClient-step {
		t.Errorf("%d bytes are left, %d of the program: %v", s.all, s.by["ci@1"], err)
	}
}

// An upload that cannot be removed is tried again with the next one, and counts until then.
func TestUploadIsRemovedLater(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "uploads"))
	one, err := s.New("ci@1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := one.Add("a", strings.NewReader("a"), 1); err != nil {
		t.Fatal(err)
	}
	dir := one.dir
	one.dir = filepath.Join(dir, ".") + string(filepath.Separator) + "." // os.RemoveAll refuses it
	if one.Close() == nil || s.by["ci@1"] != step {
		t.Fatalf("%d bytes", s.by["ci@1"])
	}
	one.dir = dir
	other, err := s.New("ci@1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) || s.all != 0 || len(s.left) != 0 {
		t.Errorf("%d bytes are left: %v", s.all, err)
	}
}
