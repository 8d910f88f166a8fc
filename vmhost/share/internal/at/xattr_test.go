//go:build linux || darwin

package at

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestAttributes(t *testing.T) {
	_, dir, base := tree(t)
	f, _, err := dir.Open("f", os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	byName, err := dir.Attrs("f")
	if err != nil {
		t.Fatal(err)
	}
	defer byName.Close()
	for name, a := range map[string]*Attrs{"by name": byName, "by handle": FileAttrs(f)} {
		if err := a.Set("user.a", []byte("one"), AttrCreate); errors.Is(err, syscall.ENOTSUP) {
			t.Skip("the file system of the temporary directory keeps no user attributes, as tmpfs before Linux 6.6")
		} else if err != nil {
			t.Fatal(name, err)
		}
		if err := a.Set("user.a", nil, AttrCreate); !errors.Is(err, syscall.EEXIST) {
			t.Error(name, err)
		}
		if err := a.Set("user.b", nil, AttrReplace); !errors.Is(err, ErrNoAttr) {
			t.Error(name, err)
		}
		long := bytes.Repeat([]byte("x"), 2000)
		if err := errors.Join(a.Set("user.a", long, AttrReplace), a.Set("user.empty", nil, 0)); err != nil {
			t.Error(name, err)
		}
		if v, err := a.Get("user.a"); err != nil || !bytes.Equal(v, long) {
			t.Error(name, v, err)
		}
		set, err := a.All()
		if got := slices.Sorted(maps.Keys(set)); err != nil || !slices.Equal(got, []string{"user.a", "user.empty"}) {
			t.Error(name, got, err)
		}
		for attr, want := range map[string]error{"trusted.x": ErrUnsupported, "security.capability": ErrUnsupported, "system.posix_acl_access": ErrUnsupported,
			"user.": ErrUnsupported, "": ErrUnsupported, "user.a\x00b": syscall.EINVAL, "user." + strings.Repeat("x", 255): syscall.ERANGE} {
			if err := a.Set(attr, nil, 0); !errors.Is(err, want) {
				t.Errorf("%s: set %q: %v", name, attr, err)
			}
			if _, err := a.Get(attr); !errors.Is(err, want) {
				t.Errorf("%s: get %q: %v", name, attr, err)
			}
			if err := a.Remove(attr); !errors.Is(err, want) {
				t.Errorf("%s: remove %q: %v", name, attr, err)
			}
		}
		if err := a.Set("user.big", make([]byte, MaxAttrValue+1), 0); !errors.Is(err, syscall.E2BIG) {
			t.Error(name, err)
		}
		if err := errors.Join(a.Remove("user.a"), a.Remove("user.empty")); err != nil {
			t.Error(name, err)
		}
		if err := a.Remove("user.a"); !errors.Is(err, ErrNoAttr) {
			t.Error(name, err)
		}
	}
	for _, name := range []string{"secret", "abs", "up"} { // links out of the folder
		if a, err := dir.Attrs(name); err == nil {
			if err := a.Set("user.out", nil, 0); err == nil {
				t.Errorf("set an attribute through the link %q", name)
			}
			a.Close()
		}
	}
	if _, err := dir.Attrs(".."); !errors.Is(err, ErrName) {
		t.Error(err)
	}
	out, err := os.Open(filepath.Join(base, "out/secret"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if set, err := FileAttrs(out).All(); err != nil || len(set) > 0 {
		t.Error("outside:", set, err)
	}
}

func TestTmpfile(t *testing.T) {
	_, dir, _ := tree(t)
	f, info, err := dir.Tmpfile(0o640)
	if runtime.GOOS != "linux" {
		t.Skip("open(2) has O_TMPFILE on Linux only")
	}
	if err != nil || info.NLink != 0 || info.Kind != File {
		t.Fatal(info, err)
	}
	defer f.Close()
	if _, err := f.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{"f": os.ErrExist, "..": ErrName, "a/b": ErrName, "new": nil} {
		if err := dir.LinkFile(f, name); !errors.Is(err, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if got, err := dir.Lstat("new"); err != nil || got.ID != info.ID || got.Size != 1 {
		t.Error(got, err)
	}
}
