package debian

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const someHash = "5b6825de4263824b78c4c51f6476414f3b4e89c2ab63e81dc8b9b5501e867cf6"

func somePackage(name, version string) Package {
	return Package{
		Name: name, Version: version, Architecture: "amd64", Archive: ArchiveMain, Path: "pool/main/x/" + name + "_1_amd64.deb",
		Size: 10, SHA256: someHash, Source: name, SourceVersion: version,
	}
}

func someLock(packages ...Package) *Lock {
	return &Lock{
		Schema: LockSchema, Set: "guest", Suite: "trixie", Architecture: "amd64",
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Want: []string{"a"}, Packages: packages,
	}
}

func TestLockRoundTrip(t *testing.T) {
	l := someLock(somePackage("aa", "1:2.3-4+b1"), somePackage("libstdc++6", "14.2.0-19"))
	file := filepath.Join(t.TempDir(), "guest-amd64.json")
	if err := l.Write(file); err != nil {
		t.Fatal(err)
	}
	got, err := ReadLock(file)
	if err != nil {
		t.Fatal(err)
	}
	one, err1 := l.Encode()
	two, err2 := got.Encode()
	if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
		t.Errorf("%s\n%s", one, two)
	}
	if !got.For("trixie", "amd64", []string{"a"}) || got.For("trixie", "amd64", []string{"a", "b"}) || got.For("sid", "amd64", []string{"a"}) {
		t.Error("For is wrong")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".lock-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestParseLockRefuses(t *testing.T) {
	good, err := someLock(somePackage("aa", "1"), somePackage("bb", "1")).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"other schema":         {`"schema": 1`, `"schema": 2`},
		"unknown field":        {`"schema": 1`, `"schema": 1, "mirror": "x"`},
		"not JSON":             {`{`, `[`},
		"no time":              {`"2026-01-02T03:04:05Z"`, `"0001-01-01T00:00:00Z"`},
		"suite with a slash":   {`"trixie"`, `"../x"`},
		"order":                {`"name": "bb"`, `"name": "aa"`},
		"name with a path":     {`"name": "bb"`, `"name": "../b"`},
		"name as an option":    {`"name": "bb"`, `"name": "-b"`},
		"version with space":   {`"version": "1"`, `"version": "1 2"`},
		"path out of the pool": {`"pool/main/x/bb_1_amd64.deb"`, `"pool/../../b.deb"`},
		"absolute path":        {`"pool/main/x/bb_1_amd64.deb"`, `"/pool/b.deb"`},
		"a URL":                {`"pool/main/x/bb_1_amd64.deb"`, `"https://x.example/b.deb"`},
		"not a package":        {`"pool/main/x/bb_1_amd64.deb"`, `"pool/main/x/b.tar"`},
		"unknown archive":      {`"archive": "debian"`, `"archive": "elsewhere"`},
		"short hash":           {someHash, someHash[:62]},
		"upper case hash":      {someHash, strings.ToUpper(someHash)},
		"no size":              {`"size": 10`, `"size": 0`},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(string(good), change[0], change[1], 1)
			if name == "order" || strings.Contains(change[0], `"bb"`) {
				bad = strings.ReplaceAll(string(good), change[0], change[1])
			}
			if bad == string(good) {
				t.Fatal("the change changes nothing")
			}
			if _, err := ParseLock([]byte(bad)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func FuzzParseLock(f *testing.F) {
	good, err := someLock(somePackage("aa", "1")).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ParseLock(data)
		if err != nil {
			return
		}
		again, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseLock(again); err != nil {
			t.Fatalf("what was accepted once is refused: %v", err)
		}
	})
}

func TestDiff(t *testing.T) {
	before := someLock(somePackage("gone", "1"), somePackage("newer", "1"), somePackage("same", "1"))
	after := someLock(somePackage("added", "3"), somePackage("newer", "2"), somePackage("same", "1"))
	var words []string
	for _, c := range Diff(before, after) {
		words = append(words, c.String())
	}
	want := []string{"added: new, 3", "gone: 1 is no longer needed", "newer: 1 → 2"}
	if !slices.Equal(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
	if n := len(Diff(nil, after)); n != 3 {
		t.Errorf("%d changes from nothing", n)
	}
}
