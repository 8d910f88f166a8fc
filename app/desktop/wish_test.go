package desktop

import (
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"piwork/app/api"
	"piwork/app/task"
)

const someTask = "0192f5ac-0000-7000-8000-000000000000"

func TestParseLink(t *testing.T) {
	for link, want := range map[string]api.OpenWish{
		"piwork://open": {}, "piwork://open/": {},
		"piwork://task/" + someTask:      {Task: someTask},
		"piwork://chore/pictures-to-pdf": {Chore: "pictures-to-pdf"},
		"piwork://chore/merge-pdf/":      {Chore: "merge-pdf"},
	} {
		if got, err := ParseLink(link); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v %v", link, got, err)
		}
	}
}

// What a page could make the system open.
var badLinks = []string{
	"", "piwork:", "piwork:open", "piwork:/open", "piwork:///open", "PIWORK://open", "piwork://", "piwork://Open", "http://open",
	"piwork://open?x=1", "piwork://open#x", "piwork://user@open", "piwork://user:pass@open", "piwork://open:80", "piwork://open//", "piwork://open/x",
	"piwork://task", "piwork://task/", "piwork://task/1", "piwork://task/../" + someTask, "piwork://task/" + someTask + "/accept", "piwork://task/" + someTask + "?accept=1",
	"piwork://task/" + strings.ToUpper(someTask), "piwork://task/%30192f5ac-0000-7000-8000-000000000000", "piwork://task/------------------------------------",
	"piwork://chore/", "piwork://chore/..", "piwork://chore/../../x", "piwork://chore/a/b", "piwork://chore/a%2fb", "piwork://chore/A", "piwork://chore/a b", "piwork://chore/-a", "piwork://chore/a--b",
	"piwork://chore/a?folder=/home", "piwork://chore/a\x00", "piwork://chore/a\n", "piwork://chore/ä", "piwork://chore/" + strings.Repeat("a", 200),
	"piwork://run/x", "piwork://ask/delete", "piwork://open --yes", "piwork://open\" --yes", "piwork://localhost/open", " piwork://open", "piwork://open ",
	"file:///etc/passwd", "javascript:alert(1)",
}

func TestBadLinks(t *testing.T) {
	for _, link := range badLinks {
		if got, err := ParseLink(link); err == nil {
			t.Errorf("%q is %+v", link, got)
		}
	}
}

func TestParseArgs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	for _, tt := range []struct {
		args []string
		want Start
	}{
		{nil, Start{}},
		{[]string{"-psn_0_1"}, Start{}},
		{[]string{"--window", "task/" + someTask}, Start{Task: someTask}},
		{[]string{"--new-window"}, Start{New: true}},
		{[]string{"piwork://open"}, Start{}},
		{[]string{"piwork://task/" + someTask}, Start{Wish: api.OpenWish{Task: someTask}}},
		{[]string{"/home/anna/Sea"}, Start{Wish: api.OpenWish{Paths: []string{"/home/anna/Sea"}}}},
		{[]string{"./a", "../b", "/c/", "/c"}, Start{Wish: api.OpenWish{Paths: []string{"/x/y/a", "/x/b", "/c"}}}},
		{[]string{"file:///home/anna/My%20Sea", "file://localhost/b"}, Start{Wish: api.OpenWish{Paths: []string{"/home/anna/My Sea", "/b"}}}},
	} {
		got, window, err := ParseArgs(tt.args, "/x/y")
		if err != nil || !window || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: %+v %v %v", tt.args, got, window, err)
		}
	}
	for _, args := range [][]string{
		{"doctor"}, {"task", "list"}, {"--json", "doctor"}, {"run", "/home"}, {"/home", "doctor"}, {"exec", "--", "/bin/ls"}, {"http://x"},
		{"file://server/x"}, {"file:x"}, {"file:///x?y"}, {"-h"}, {"--windows"}, {""},
		{"--new-window", "--help"}, {"--new-window", "x"}, {"--new-window", "--new-window"}, {"--new-window", "/home"},
	} {
		if got, window, _ := ParseArgs(args, "/x"); window {
			t.Errorf("%q opens a window: %+v", args, got)
		}
	}
	for _, args := range [][]string{
		{"--window"}, {"--window", someTask}, {"--window", "task/1"}, {"--window", "task/" + someTask, "x"}, {"--window", "task/../x"},
		{"piwork://open", "--yes"}, {"piwork://open", "/home"}, {"piwork:x"}, {"PIWORK://open"},
		{"/a\x00b"}, {"/" + strings.Repeat("a", maxPath)},
	} {
		if got, window, err := ParseArgs(args, "/x"); !window || err == nil {
			t.Errorf("%q: %+v %v %v", args, got, window, err)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	for _, link := range badLinks {
		f.Add(link)
	}
	f.Add("piwork://task/" + someTask)
	f.Add("piwork://chore/merge-pdf")
	f.Fuzz(func(t *testing.T, link string) {
		got, err := ParseLink(link)
		if err != nil {
			return
		}
		if len(got.Paths) > 0 || got.Task != "" && got.Chore != "" || got.Task != "" && !task.ValidID(got.Task) ||
			strings.Trim(got.Chore, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			t.Errorf("%q is %+v", link, got)
		}
		again := "piwork://open"
		switch {
		case got.Task != "":
			again = "piwork://task/" + got.Task
		case got.Chore != "":
			again = "piwork://chore/" + got.Chore
		}
		if strings.TrimSuffix(link, "/") != again {
			t.Errorf("%q means %s", link, again)
		}
	})
}

func FuzzParseArgs(f *testing.F) {
	f.Add("/a", "file:///b%00", "/x")
	f.Add("./a", "../../..", "/x")
	f.Fuzz(func(t *testing.T, a, b, dir string) {
		got, _, err := ParseArgs([]string{a, b}, dir)
		if err != nil {
			return
		}
		for _, p := range got.Wish.Paths {
			if !filepath.IsAbs(p) || p != filepath.Clean(p) || strings.ContainsRune(p, 0) {
				t.Errorf("%q %q in %q: %q", a, b, dir, p)
			}
		}
	})
}
