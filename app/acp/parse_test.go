package acp

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"piwork/app/task"
)

// What follows on a text that was told is told once, whatever space is between.
func TestRest(t *testing.T) {
	for _, tt := range []struct{ whole, had, want string }{
		{"all", "", "all"}, {"all of it", "all", " of it"}, {"one\n\ntwo", "onet", "wo"}, {"one", "one", ""},
		{"one\n", "one  ", "\n"}, {"on…", "one two", ""}, {"other", "one", "\n\nother"}, {"", "x", ""}, {"é", "\xc3", "\n\né"},
	} {
		if got := rest(tt.whole, tt.had); got != tt.want {
			t.Errorf("rest(%q, %q): %q", tt.whole, tt.had, got)
		}
	}
}

// The pieces of a diff are its two sides, and what is no diff has none.
func TestHunks(t *testing.T) {
	for _, tt := range []struct {
		diff string
		want []hunk
	}{
		{"--- a\n+++ a\n@@ -1,2 +1,2 @@ func\n one\n-two\n+three\n@@ -9 +9,2 @@\n-x\n+y\n+z\n", []hunk{{"one\ntwo\n", "one\nthree\n"}, {"x\n", "y\nz\n"}}},
		{"@@ -1,2 +1,2 @@\n one\n-tw…", nil}, {"@@ -0,0 +1 @@\n+new\n\\ No newline at end of file\n", []hunk{{"", "new\n"}}},
		{"@@ -1 +1 @@\n-a\n+--- b\n", []hunk{{"a\n", "--- b\n"}}}, {"@@ -1,99999999999999999999 +1 @@\n-a\n", nil}, {"", nil}, {"hello\nworld", nil},
		{"@@ -1,2 +1,2 @@\n\n-a\n+b\n", []hunk{{"\na\n", "\nb\n"}}}, {"@@ -1 +1 @@\n*a\n", nil},
	} {
		got := hunks(tt.diff)
		if len(got) != len(tt.want) {
			t.Errorf("%q: %q", tt.diff, got)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%q: %q", tt.diff, got)
			}
		}
	}
}

// More requests than are answered are refused, and what is answered makes room.
func TestTooManyRequests(t *testing.T) {
	d, err := Open(nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(t.Context(), func() {}, io.Discard)
	refused := func() *reply {
		_, r := d.check([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/list"}`), true, w)
		return r
	}
	for i := range maxRequests {
		if r := refused(); r != nil {
			t.Fatalf("%d: %+v", i, r.Error)
		}
	}
	if r := refused(); r == nil || string(r.ID) != "1" || !strings.Contains(r.Error.Message, "Too many requests") {
		t.Errorf("%+v", r)
	}
	if _, err := w.Write([]byte(`{"jsonrpc":"2.0","method":"session/update"}`)); err != nil || refused() == nil {
		t.Error("a notification made room", err)
	}
	if _, err := w.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)); err != nil || refused() != nil {
		t.Error("an answer made no room", err)
	}
}

// Whatever paths, addresses, diffs, texts and lines come: no path leads out of a folder, and
// nothing is longer than what it is of.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "/folders/Notes/a/../../x", "file:///home/me/Notes/%2e%2e/x", "@@ -1 +1 @@\n-a\n+b\n", `{"id":1,"method":"x","params":{`, "/home/me/Notes\x00/x",
		`{"jsonrpc":"2.0","id":{"a":1}}`, "file://localhost/home/me/Notes/ä#L1", "..\\..\\x", "/folders/Notes", strings.Repeat("../", 50),
	} {
		f.Add(s, s)
	}
	folders := []folder{{task.Folder{Path: filepath.FromSlash("/home/me/Notes"), Name: "Notes"}, filepath.FromSlash("/home/me/link")}}
	f.Fuzz(func(t *testing.T, a, b string) {
		if p, ok := here(folders, a); ok && !task.Contains(folders[0].named, p) {
			t.Errorf("%q is %q here", a, p)
		}
		if p, ok := there(folders, a); ok && p != "/folders/Notes" && (!strings.HasPrefix(p, "/folders/Notes/") || strings.Contains(p+"/", "/../")) {
			t.Errorf("%q is %q there", a, p)
		}
		if p := target(a, folders); strings.HasPrefix(p, "/folders/") && !strings.HasPrefix(p, "/folders/Notes") && p != a {
			t.Errorf("%q is %q for the AI", a, p)
		}
		size := 0
		for _, h := range hunks(a) {
			size += max(len(h.before), len(h.after))
		}
		if size > 2*len(a)+1 {
			t.Errorf("%d bytes of %q", size, a)
		}
		visible := func(s string) string {
			return strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) {
					return -1
				}
				return r
			}, s)
		}
		if utf8.ValidString(a) && utf8.ValidString(b) && visible(rest(a+b, a)) != visible(b) {
			t.Errorf("after %q of %q comes %q", a, a+b, rest(a+b, a))
		}
	})
}
