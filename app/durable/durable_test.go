package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, file string) []string {
	t.Helper()
	var out []string
	err := ReadLines(file, func(n int64, line []byte) error {
		if int(n) != len(out)+1 {
			t.Errorf("line %d is called %d", len(out)+1, n)
		}
		out = append(out, string(line))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLines(t *testing.T) {
	long := strings.Repeat("ä", 100_000) // longer than any buffer
	rows := []struct {
		name, before string
		whole        []string
		torn         string
	}{
		{"new", "", nil, ""},
		{"whole", "a\nb\n", []string{"a", "b"}, ""},
		{"torn", "a\nb", []string{"a"}, "b"},
		{"only a torn one", "abc", nil, "abc"},
		{"long torn one", "a\n" + long, []string{"a"}, long},
		{"long line", long + "\nx", []string{long}, "x"},
		{"empty lines", "\n\n", []string{"", ""}, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.jsonl")
			if r.name != "new" {
				if err := os.WriteFile(file, []byte(r.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := read(t, file); !equal(got, r.whole) {
				t.Errorf("before opening: %d lines", len(got))
			}
			l, torn, err := OpenLines(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(torn) != r.torn {
				t.Errorf("torn: %d bytes", len(torn))
			}
			if err := l.Append([]byte("next")); err != nil {
				t.Fatal(err)
			}
			if err := l.Append([]byte("two\nlines")); err == nil {
				t.Error("a line feed was accepted")
			}
			if err := errors.Join(l.Close(), l.Close()); err != nil {
				t.Error(err)
			}
			if err := l.Append([]byte("x")); !errors.Is(err, os.ErrClosed) {
				t.Errorf("after close: %v", err)
			}
			if got := read(t, file); !equal(got, append(r.whole, "next")) {
				t.Errorf("after: %d lines", len(got))
			}
		})
	}
}

func equal(a, b []string) bool {
	return strings.Join(a, "\n") == strings.Join(b, "\n") && len(a) == len(b)
}

func TestReadLinesEndsWithItsCallersError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	n := 0
	if err := ReadLines(file, func(int64, []byte) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

func TestMarshalKeeping(t *testing.T) {
	type inner struct {
		A int `json:"a"`
		B int `json:"b,omitempty"`
	}
	type doc struct {
		Z    string  `json:"z"`
		In   inner   `json:"in"`
		List []inner `json:"list"`
		Opt  *inner  `json:"opt,omitempty"`
	}
	rows := []struct {
		name, old string
		change    func(*doc)
		want      string
	}{
		{"nothing unknown keeps the type's order", `{"z":"1","in":{"a":1},"list":[]}`, func(d *doc) { d.Z = "2" }, `{"z":"2","in":{"a":1},"list":[]}`},
		{"unknown at the top", `{"z":"1","in":{"a":1},"list":[],"y":{"k":[1]}}`, func(d *doc) { d.Z = "2" }, `{"in":{"a":1},"list":[],"y":{"k":[1]},"z":"2"}`},
		{"unknown deeper", `{"z":"1","in":{"a":1,"x":true},"list":[{"a":1,"x":1},{"a":2,"x":2}]}`, func(d *doc) { d.In.A = 5; d.List[1].A = 9 }, `{"in":{"a":5,"x":true},"list":[{"a":1,"x":1},{"a":9,"x":2}],"z":"1"}`},
		{"what is known can go", `{"z":"1","in":{"a":1,"b":3},"list":[],"opt":{"a":1},"y":1}`, func(d *doc) { d.Opt = nil; d.In.B = 0 }, `{"in":{"a":1},"list":[],"y":1,"z":"1"}`},
		{"a list of another length is the new one", `{"z":"1","in":{"a":1},"list":[{"a":1,"x":1}]}`, func(d *doc) { d.List = nil }, `{"z":"1","in":{"a":1},"list":null}`},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			var known, changed doc
			for _, d := range []*doc{&known, &changed} {
				if err := json.Unmarshal([]byte(r.old), d); err != nil {
					t.Fatal(err)
				}
			}
			r.change(&changed)
			got, err := MarshalKeeping([]byte(r.old), known, changed)
			if err != nil {
				t.Fatal(err)
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, got); err != nil {
				t.Fatal(err)
			}
			if compact.String() != r.want {
				t.Errorf("got  %s\nwant %s", compact.String(), r.want)
			}
		})
	}
}

func FuzzOpenLines(f *testing.F) {
	f.Add([]byte("a\nb"), []byte("c"))
	f.Add([]byte(""), []byte(""))
	f.Fuzz(func(t *testing.T, before, line []byte) {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		whole := read(t, file)
		l, _, err := OpenLines(file)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := l.Append(line); err == nil {
			whole = append(whole, string(line))
		}
		if got := read(t, file); !equal(got, whole) {
			t.Errorf("%q, want %q", got, whole)
		}
	})
}
