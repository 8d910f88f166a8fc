package npm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is a file of a package file under test.
type entry struct {
	name string
	kind byte
	mode int64
	text string
}

// packageFile writes a package file and returns its name.
func packageFile(t *testing.T, dir string, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Mode: e.mode}
		if e.kind == tar.TypeReg {
			h.Size = int64(len(e.text))
		} else {
			h.Linkname = e.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if e.kind == tar.TypeReg {
			if _, err := w.Write([]byte(e.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "x-1.0.0.tgz")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func about(name, version string) entry {
	return entry{"package/package.json", tar.TypeReg, 0o644, `{"name":"` + name + `","version":"` + version + `","license":"MIT"}`}
}

// fakeNPM puts a program in front of PATH that does what "npm pack" would: it
// copies a file to the directory that it was told, or fails.
func fakeNPM(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\nwhile [ \"$1\" != --pack-destination ]; do shift; done\nto=$2 what=$3\n" + script
	if err := os.WriteFile(filepath.Join(dir, "npm"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestResolveAndFetch(t *testing.T) {
	file := packageFile(t, t.TempDir(), about("@a/x", "1.2.3"))
	fakeNPM(t, `[ "$what" = @a/x@1.2.3 ] || exit 1; case $PWD in "$to"*) ;; *) echo "in $PWD"; exit 1 ;; esac; cp "`+file+`" "$to"`)
	s, err := OpenStore(filepath.Join(t.TempDir(), "npm"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Want{{Name: "@a/x", Version: "1.2.3"}}
	l, err := s.Resolve(t.Context(), want)
	if err != nil || !l.For(want) || l.For(nil) || l.Packages[0].Licence != "MIT" {
		t.Fatalf("%+v %v", l, err)
	}
	lockFile := filepath.Join(t.TempDir(), "npm.json")
	if err := l.Write(lockFile); err != nil {
		t.Fatal(err)
	}
	again, err := ReadLock(lockFile)
	if err != nil || !again.For(want) {
		t.Fatalf("%+v %v", again, err)
	}
	p, err := again.Find("@a/x")
	if err != nil || p.PURL() != "pkg:npm/%40a/x@1.2.3" {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := again.Find("y"); err == nil {
		t.Error("found what is not there")
	}

	// What the store has needs no npm.
	t.Setenv("PATH", t.TempDir())
	if err := s.Fetch(t.Context(), p); err != nil {
		t.Errorf("fetched again: %v", err)
	}
	if err := os.Remove(s.Path(p)); err != nil {
		t.Fatal(err)
	}
	if err := s.Fetch(t.Context(), p); err == nil || !strings.Contains(err.Error(), "npm is needed") {
		t.Errorf("error %v", err)
	}
}

// TestDescribeVersion: a release of Node may say "v22.20.0" of itself.
func TestDescribeVersion(t *testing.T) {
	file := packageFile(t, t.TempDir(), about("x", "v1.0.0"))
	if p, err := describe(file, Want{Name: "x", Version: "1.0.0"}); err != nil || p.Version != "1.0.0" {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := describe(file, Want{Name: "x", Version: "1.0.1"}); err == nil {
		t.Error("another version is taken")
	}
}

func TestFetchRefuses(t *testing.T) {
	good := packageFile(t, t.TempDir(), about("x", "1.0.0"))
	other := packageFile(t, t.TempDir(), about("x", "1.0.0"), entry{"package/more.js", tar.TypeReg, 0o644, "evil()"})
	wrong := packageFile(t, t.TempDir(), about("y", "1.0.0"))
	bare := packageFile(t, t.TempDir(), entry{"package/index.js", tar.TypeReg, 0o644, ""})
	locked, err := describe(good, Want{Name: "x", Version: "1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ script, fails string }{
		"another content":        {`cp "` + other + `" "$to"`, "the lock says"},
		"another package":        {`cp "` + wrong + `" "$to"`, `the package is "y"`},
		"no package.json":        {`cp "` + bare + `" "$to"`, "package.json"},
		"no file":                {`:`, "0 package files"},
		"two files":              {`cp "` + good + `" "$to/a.tgz"; cp "` + good + `" "$to/b.tgz"`, "2 package files"},
		"not an archive":         {`echo a file that is long enough > "$to/x.tgz"`, "gzip"},
		"not in the registry":    {`echo "404 Not Found" >&2; exit 1`, "404 Not Found"},
		"a registry that is off": {`echo "ENOTFOUND" >&2; exit 7`, "ENOTFOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeNPM(t, c.script)
			s, err := OpenStore(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			err = s.Fetch(t.Context(), locked)
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("error %v, want one with %q", err, c.fails)
			}
			left, err := os.ReadDir(filepath.Dir(s.Path(locked)))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []Want{{Name: "--registry", Version: "1.0.0"}, {Name: "x", Version: "latest"}, {Name: "../x", Version: "1.0.0"}, {Name: "git+ssh://x", Version: "1.0.0"}, {Name: "x", Version: "^1.0.0"}} {
		if _, err := s.Resolve(t.Context(), []Want{w}); err == nil {
			t.Errorf("%v: accepted", w)
		}
	}
}

func TestUnpack(t *testing.T) {
	file := packageFile(t, t.TempDir(), about("x", "1.0.0"),
		entry{"package/bin/x", tar.TypeReg, 0o775, "run"}, entry{"package/lib/", tar.TypeDir, 0o700, ""},
		entry{"package/lib/a.js", tar.TypeReg, 0o600, "a"}, entry{"package/lib/a.js.map", tar.TypeReg, 0o600, "no"},
	)
	dir := t.TempDir()
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Unpack(file, r, "opt/x", func(n string) bool { return !strings.HasSuffix(n, ".map") }); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"opt/x/bin/x": 0o755, "opt/x/lib/a.js": 0o644, "opt/x/package.json": 0o644} {
		if info, err := r.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if _, err := r.Stat("opt/x/lib/a.js.map"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file that was not wanted is there")
	}
}

func TestUnpackRefuses(t *testing.T) {
	for name, e := range map[string]entry{
		"up":             {"package/../../x", tar.TypeReg, 0o644, ""},
		"absolute":       {"/etc/x", tar.TypeReg, 0o644, ""},
		"no directory":   {"x", tar.TypeReg, 0o644, ""},
		"backslash":      {`package/a\b`, tar.TypeReg, 0o644, ""},
		"symbolic link":  {"package/x", tar.TypeSymlink, 0o644, "/etc"},
		"hard link":      {"package/x", tar.TypeLink, 0o644, "/etc/passwd"},
		"device":         {"package/x", tar.TypeChar, 0o644, ""},
		"the name twice": {"package/package.json", tar.TypeReg, 0o644, "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			file := packageFile(t, t.TempDir(), about("x", "1.0.0"), e)
			dir := t.TempDir()
			r, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			err = Unpack(file, r, "in", func(string) bool { return true })
			outside := filepath.Join(dir, "x")
			if _, statErr := os.Lstat(outside); err == nil || statErr == nil {
				t.Errorf("unpacked: %v", err)
			}
		})
	}
}

func TestParseLockRefuses(t *testing.T) {
	sum := sha512.Sum512(nil)
	good := Package{Name: "x", Version: "1.0.0", Integrity: "sha512-" + base64.StdEncoding.EncodeToString(sum[:]), Size: 1, Licence: "MIT"}
	if _, err := ParseLock(encode(t, &Lock{Schema: LockSchema, Packages: []Package{good}})); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Lock){
		"schema":    func(l *Lock) { l.Schema = 2 },
		"name":      func(l *Lock) { l.Packages[0].Name = "../x" },
		"version":   func(l *Lock) { l.Packages[0].Version = "latest" },
		"integrity": func(l *Lock) { l.Packages[0].Integrity = "sha1-aaaa" },
		"size":      func(l *Lock) { l.Packages[0].Size = 0 },
		"licence":   func(l *Lock) { l.Packages[0].Licence = "" },
		"twice":     func(l *Lock) { l.Packages = append(l.Packages, l.Packages[0]) },
	} {
		l := &Lock{Schema: LockSchema, Packages: []Package{good}}
		change(l)
		if _, err := ParseLock(encode(t, l)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := ParseLock([]byte(`{"schema":1,"host":"x"}`)); err == nil {
		t.Error("unknown field accepted")
	}
}

func encode(t *testing.T, l *Lock) []byte {
	t.Helper()
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(`{"schema":1,"packages":[{"name":"x","version":"1.0.0","integrity":"sha512-","size":1,"licence":"MIT"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ParseLock(data)
		if err != nil {
			return
		}
		for _, p := range l.Packages {
			if (&Store{dir: "/s"}).Path(p) == "/s/invalid" {
				t.Errorf("%+v passed the check", p)
			}
		}
	})
}
