package rundir

import (
	"errors"
	"os"
	"runtime"
	"testing"
)

// Somebody else's directory of that name is not used.
func TestRunDirIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no permission bits")
	}
	rows := map[string]func(dir string) error{
		"open to others": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) },
		"a link":         func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"a file":         func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
	}
	for name, plant := range rows {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			first, err := Open(data)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(first.Close(), plant(first.Base)); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(first.Base)
			second, err := Open(data)
			if err != nil {
				t.Fatal(err)
			}
			if second.Base == first.Base || !private(second.Base) {
				t.Errorf("%s is used", second.Base)
			}
			if err := second.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
