package app

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"piwork/app/rundir"
)

func TestSocketsHaveShortPaths(t *testing.T) {
	w := newWorld(t)
	o := w.options()
	o.DataDir = filepath.Join(o.DataDir, strings.Repeat("x", 120))
	c := w.openWith(o)
	if len(c.Socket()) > rundir.MaxSocketPath || !strings.HasPrefix(c.Socket(), c.runs.Base) {
		t.Errorf("%s", c.Socket())
	}
	dir, err := c.runs.New()
	if err != nil {
		t.Fatal(err)
	}
	if len(filepath.Join(dir, "console.sock")) > rundir.MaxSocketPath {
		t.Errorf("%s is long", dir)
	}
	if info, err := os.Stat(c.runs.Base); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(c.runs.Base); !errors.Is(err, os.ErrNotExist) {
		t.Error("the directory of sockets is left")
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
