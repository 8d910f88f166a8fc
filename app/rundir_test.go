package app

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestSocketsHaveShortPaths(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.DataDir = filepath.Join(o.DataDir, strings.Repeat("x", 120))
	c := w.openWith(o)
	if len(c.Socket()) > maxSocketPath || !strings.HasPrefix(c.Socket(), c.runs.base) {
		t.Errorf("%s", c.Socket())
	}
	dir, err := c.runs.task()
	if err != nil {
		t.Fatal(err)
	}
	if len(filepath.Join(dir, "console.sock")) > maxSocketPath {
		t.Errorf("%s is long", dir)
	}
	if info, err := os.Stat(c.runs.base); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(c.runs.base); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory of sockets is left")
	}
}

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
			first, err := openRunDirs(data)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(first.close(), plant(first.base)); err != nil {
				t.Fatal(err)
			}
			defer os.Remove(first.base)
			second, err := openRunDirs(data)
			if err != nil {
				t.Fatal(err)
			}
			if second.base == first.base || !private(second.base) {
				t.Errorf("%s is used", second.base)
			}
			if err := second.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestOptionsFromTheEnvironment(t *testing.T) {
	for name, value := range map[string]string{EnvDataDir: "/d", EnvConfigDir: "/c", EnvCacheDir: "/k", EnvRuntimeDir: "/r", EnvAccel: "tcg"} {
		t.Setenv(name, value)
	}
	o := Options{CacheDir: "/mine"}.WithDefaults()
	if o.DataDir != "/d" || o.ConfigDir != "/c" || o.CacheDir != "/mine" || o.PackDir != "/r" || o.Accel != "tcg" || o.Log == nil {
		t.Errorf("%+v", o)
	}
	for _, name := range []string{EnvDataDir, EnvConfigDir, EnvCacheDir, EnvRuntimeDir, EnvAccel} {
		t.Setenv(name, "")
	}
	o = Options{}.WithDefaults()
	for _, dir := range []string{o.DataDir, o.ConfigDir, o.CacheDir} {
		if filepath.Base(dir) != "piwork" || !filepath.IsAbs(dir) {
			t.Errorf("%q", dir)
		}
	}
	if o.PackDir != "" || o.Accel != "" {
		t.Errorf("%+v", o)
	}
}
