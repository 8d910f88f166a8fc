package cli

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"piwork/app/cli/terminal"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

func TestParseFolder(t *testing.T) {
	cwd, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		arg, path string
		mode      task.Mode
	}{
		{"/a", "/a", ""},
		{"/a:ro", "/a", task.ModeReadOnly},
		{"/a:rw", "/a", task.ModeReadWrite},
		{"/a:review", "/a", task.ModeReview},
		{"/a:b", "/a:b", ""},
		{"/a:b:ro", "/a:b", task.ModeReadOnly},
		{"/a:RO", "/a:RO", ""},
		{"/a:ro:rw", "/a:ro", task.ModeReadWrite},
		{"/12:30", "/12:30", ""},
		{"/a:", "/a:", ""},
		{"/with space/-x/日本:rw", "/with space/-x/日本", task.ModeReadWrite},
		{".", cwd, ""},
		{"sub/../x:ro", filepath.Join(cwd, "x"), task.ModeReadOnly},
	} {
		if !filepath.IsAbs("/a") && strings.HasPrefix(tt.arg, "/") {
			continue // no such paths on this OS
		}
		got, err := parseFolder(tt.arg)
		if err != nil || got.Path != tt.path || got.Mode != tt.mode {
			t.Errorf("%q: %+v %v", tt.arg, got, err)
		}
	}
	for _, arg := range []string{"", ":ro", ":rw"} {
		var u *usageError
		if got, err := parseFolder(arg); !errors.As(err, &u) {
			t.Errorf("%q: %+v %v", arg, got, err)
		}
	}
}

// Nothing that a file is called may steer the terminal.
func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain":          "plain",
		"日本 ü é":         "日本 ü é",
		"e\u0301":        "e\u0301",
		"\x1b[2J":        `\x1b[2J`,
		"a\nb":           `a\nb`,
		"a\rb":           `a\rb`,
		"\u202egpj.exe":  `\u202egpj.exe`,
		"a\tb":           "a b",
		"bad \xff byte":  `bad \xff byte`,
		"\x00":           `\x00`,
		"\u009b31m":      `\u009b31m`,
		"zero\u200bjoin": `zero\u200bjoin`,
	} {
		if got := terminal.Printable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range terminal.Printable(s) {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e {
				t.Errorf("%q keeps %q", s, r)
			}
		}
	})
}

// The files of a tool are named as the workroom names their folders.
func TestToolRequest(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"in/a b.jpg", "in/-c.jpg", "1/same/a", "2/same/b"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	pdf := []string{"format=pdf"}
	e := newEnv(Options{Stdin: strings.NewReader(""), IsTerminal: func(any) bool { return false }})
	toolRequest := func(op string, in []string, out string, set []string) (tasks.StartRequest, error) {
		return toolRequest(t.Context(), e, op, in, out, set)
	}
	req, err := toolRequest("image.convert", []string{dir + "/in/a b.jpg", dir + "/in/-c.jpg"}, dir+"/out/x.pdf", pdf)
	if err != nil {
		t.Fatal(err)
	}
	if len(req.Folders) != 2 || req.Folders[0].Mode != task.ModeReadOnly || req.Folders[1].Mode != task.ModeReadWrite {
		t.Errorf("folders %+v", req.Folders)
	}
	if got := strings.Join(append(req.Tool.In, req.Tool.Out), " "); got != wire.FoldersDir+"/in/a b.jpg "+wire.FoldersDir+"/in/-c.jpg "+wire.FoldersDir+"/out/x.pdf" {
		t.Error(got)
	}
	if req, err = toolRequest("image.convert", []string{dir + "/in/a b.jpg"}, dir+"/in/x", pdf); err != nil || len(req.Folders) != 1 || req.Folders[0].Mode != task.ModeReadWrite {
		t.Errorf("one folder for both: %+v %v", req.Folders, err)
	}
	if req, err = toolRequest("image.info", []string{dir + "/1/same/a", dir + "/2/same/b"}, "", nil); err != nil || req.Tool.In[0] != wire.FoldersDir+"/same/a" || req.Tool.In[1] != wire.FoldersDir+"/same (2)/b" {
		t.Errorf("two folders of one name: %+v %v", req.Tool, err)
	}
	for name, call := range map[string]func() (tasks.StartRequest, error){
		"no such operation": func() (tasks.StartRequest, error) { return toolRequest("x", []string{dir + "/1/same/a"}, "", nil) },
		"no such file":      func() (tasks.StartRequest, error) { return toolRequest("image.info", []string{dir + "/gone"}, "", nil) },
		"no result": func() (tasks.StartRequest, error) {
			return toolRequest("image.convert", []string{dir + "/1/same/a"}, "", pdf)
		},
		"no parameter": func() (tasks.StartRequest, error) {
			return toolRequest("image.convert", []string{dir + "/1/same/a"}, dir+"/x", nil)
		},
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}

	// A password is read, and is no argument.
	pdfs := []string{dir + "/1/same/a"}
	e.Stdin = strings.NewReader("s3cret\nmore")
	req, err = toolRequest("pdf.unlock", pdfs, dir+"/x.pdf", []string{"password=-"})
	if err != nil || req.Tool.Params["password"] != "s3cret" {
		t.Errorf("%+v, %v", req.Tool, err)
	}
	if _, err := toolRequest("pdf.unlock", pdfs, dir+"/x.pdf", []string{"password=s3cret"}); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("as an argument: %v", err)
	}
}

// Values get the types that the operation wants.
func TestTyped(t *testing.T) {
	got := typed("image.convert", map[string]any{"format": "pdf", "quality": "80", "replace": "true", "other": "7", "background": "1"})
	want := map[string]any{"format": "pdf", "quality": int64(80), "replace": true, "other": "7", "background": "1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%#v", got)
	}
}
