package toolcall

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/app/task"
)

// tree makes files, and folders of names that end with a slash.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if strings.HasSuffix(name, "/") {
			err = errors.Join(err, os.MkdirAll(file, 0o700))
		} else {
			err = errors.Join(err, os.WriteFile(file, []byte(name), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is shared for a call is what it needs, and what its files are called in
// the machine.
func TestCall(t *testing.T) {
	dir := tree(t, "a/1.png", "a/sub/2.heic", "b/a/3.png", "out/", "dir.png/x")
	at := func(name string) string {
		if name == "" {
			return ""
		}
		return filepath.Join(dir, filepath.FromSlash(name))
	}
	pdf, none := map[string]any{"format": "pdf"}, map[string]any(nil)
	size := map[string]any{"width": 10}
	for _, tt := range []struct {
		name, op string
		in       []string
		out      string
		params   map[string]any
		code     string // of the problem
		folders  string // name=mode
		guest    string // the inputs and the result
	}{
		{"one file", "image.info", []string{"a/1.png"}, "", none, "", "a=ro", "/folders/a/1.png"},
		{"beside its input", "image.convert", []string{"a/1.png"}, "a/x.pdf", pdf, "", "a=rw", "/folders/a/1.png /folders/a/x.pdf"},
		{"elsewhere", "image.convert", []string{"a/1.png"}, "out/x.pdf", pdf, "", "a=ro out=rw", "/folders/a/1.png /folders/out/x.pdf"},
		{"below its input", "image.convert", []string{"a/1.png"}, "a/sub/x.pdf", pdf, "", "a=rw", "/folders/a/1.png /folders/a/sub/x.pdf"},
		{"above its input", "image.convert", []string{"a/sub/2.heic"}, "a/x.pdf", pdf, "", "a=rw", "/folders/a/sub/2.heic /folders/a/x.pdf"},
		{"a folder in another", "image.info", []string{"a/sub/2.heic", "a/1.png"}, "", none, "", "a=ro", "/folders/a/sub/2.heic /folders/a/1.png"},
		{"the same name twice", "image.info", []string{"a/1.png", "b/a/3.png"}, "", none, "", "a=ro a (2)=ro", "/folders/a/1.png /folders/a (2)/3.png"},
		{"a folder as input", "file.hash", []string{"a"}, "", none, "", "a=ro", "/folders/a"},
		{"a folder where files are wanted", "image.info", []string{"dir.png"}, "", none, "", filepath.Base(dir) + "=ro", "/folders/" + filepath.Base(dir) + "/dir.png"},
		{"kept with the task", "image.convert", []string{"a/1.png"}, "", pdf, "", "a=ro", "/folders/a/1.png /work/out/1.pdf"},
		{"kept, as it was", "image.resize", []string{"a/1.png"}, "", size, "", "a=ro", "/folders/a/1.png /work/out/1.png"},
		{"kept, of what nobody writes", "image.resize", []string{"a/sub/2.heic"}, "", size, "", "sub=ro", "/folders/sub/2.heic /work/out/2.jpg"},
		{"kept, many as one", "image.convert", []string{"a/1.png", "a/sub/2.heic"}, "", pdf, "", "a=ro", "/folders/a/1.png /folders/a/sub/2.heic /work/out/1.pdf"},
		{"kept, many", "image.resize", []string{"a/1.png", "a/sub/2.heic"}, "", size, "", "a=ro", "/folders/a/1.png /folders/a/sub/2.heic /work/out/1"},
		{"a format by its name", "image.convert", []string{"a/1.png"}, "a/x.pdf", none, "", "a=rw", "/folders/a/1.png /folders/a/x.pdf"},
		{"moved", "file.move", []string{"a/1.png"}, "", map[string]any{"to": []any{at("out/1.png")}}, "", "a=rw out=rw", "/folders/a/1.png"},
		{"removed", "file.remove", []string{"a/sub/2.heic"}, "", none, "", "sub=rw", "/folders/sub/2.heic"},

		{"no such operation", "no.such", []string{"a/1.png"}, "", none, problem.CodeUnsupported, "", ""},
		{"no input", "image.info", nil, "", none, problem.CodeBadRequest, "", ""},
		{"gone", "image.info", []string{"a/gone.png"}, "", none, problem.CodeInputMissing, "", ""},
		{"below a file", "image.info", []string{"a/1.png/x"}, "", none, problem.CodeInputUnreadable, "", ""},
		{"a parameter is missing", "image.convert", []string{"a/1.png"}, "a/x", none, problem.CodeBadRequest, "", ""},
		{"a parameter is missing, kept", "image.convert", []string{"a/1.png"}, "", none, problem.CodeBadRequest, "", ""},
		{"no such parameter", "image.info", []string{"a/1.png"}, "", size, problem.CodeBadRequest, "", ""},
		{"a result where none is", "image.info", []string{"a/1.png"}, "a/x", none, problem.CodeBadRequest, "", ""},
		{"the result is the input", "image.convert", []string{"a/1.png"}, "a/1.png", pdf, problem.CodeBadRequest, "", ""},
		{"neither width nor height", "image.resize", []string{"a/1.png"}, "", none, problem.CodeBadRequest, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := Call{Op: tt.op, Out: at(tt.out), Params: tt.params}
			for _, in := range tt.in {
				call.In = append(call.In, at(in))
			}
			tool, wanted, err := call.Request()
			if codeOf(err) != tt.code {
				t.Fatalf("%v, want %q", err, tt.code)
			}
			if err != nil {
				return
			}
			var folders []string
			named := []task.Folder{}
			for _, f := range wanted {
				name := task.FolderName(filepath.Base(f.Path), f.Path, named) // as the controller does
				named = append(named, task.Folder{Path: f.Path, Name: name})
				folders = append(folders, name+"="+string(f.Mode))
			}
			if got := strings.Join(folders, " "); got != tt.folders {
				t.Errorf("folders %s, want %s", got, tt.folders)
			}
			if got := strings.TrimSpace(strings.Join(tool.In, " ") + " " + tool.Out); got != tt.guest {
				t.Errorf("files %s, want %s", got, tt.guest)
			}
			view := ViewOf(task.Task{Folders: named}, false)
			for i, in := range tool.In {
				if got := view.Host(in); got != call.In[i] {
					t.Errorf("%s is called %s", call.In[i], got)
				}
			}
			if tt.op == "file.move" && !slices.Equal(texts(tool.Params["to"]), []string{"/folders/out/1.png"}) {
				t.Errorf("moved to %v", tool.Params["to"])
			}
		})
	}
	for _, tt := range []struct {
		out, name string
		params    map[string]any
		format    any
	}{
		{"x.jpg", "", size, "jpeg"},
		{"", "x.jpg", size, "jpeg"},
		{"x.jpg", "", map[string]any{"width": 10, "format": "webp"}, "webp"}, // what is said counts
		{"x.bmp", "", size, nil},
		{"", "", size, nil},
	} {
		tool, _, err := Call{Op: "image.resize", In: []string{at("a/1.png")}, Out: at(tt.out), Name: tt.name, Params: tt.params}.Request()
		if err != nil || tool.Params["format"] != tt.format {
			t.Errorf("%q %q: %+v, %v, want %v", tt.out, tt.name, tool, err, tt.format)
		}
	}
	if _, changed := size["format"]; changed {
		t.Error("the parameters of who asked were changed")
	}
	for _, bad := range []string{"", "a/1.png", "../x", "/a\x00b"} {
		if _, _, err := (Call{Op: "image.info", In: []string{bad}}).Request(); codeOf(err) != problem.CodeBadRequest {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Reports name files as they are called here; what a file says of itself stays.
func TestView(t *testing.T) {
	rec := task.Task{Folders: []task.Folder{{Path: filepath.FromSlash("/home/u/Fotos"), Name: "Fotos"}}}
	report := map[string]any{
		"path": "/folders/Fotos/a/b.png", "out": "/work/out/b.pdf", "title": "/folders/Fotos/x", "width": 3.0,
		"files": []any{map[string]any{"path": "/folders/Fotos"}, map[string]any{"path": "/folders/Fotosx/y"}},
		"tags":  map[string]any{"path": "/folders/Fotos/z"},
	}
	got := ViewOf(rec, false).HostValue(report).(map[string]any)
	files := got["files"].([]any)
	if got["path"] != filepath.FromSlash("/home/u/Fotos/a/b.png") || got["out"] != "b.pdf" || got["title"] != report["title"] || got["width"] != 3.0 ||
		files[0].(map[string]any)["path"] != rec.Folders[0].Path || files[1].(map[string]any)["path"] != "/folders/Fotosx/y" ||
		got["tags"].(map[string]any)["path"] != "/folders/Fotos/z" {
		t.Errorf("%v", got)
	}
	if got := ViewOf(rec, true).HostValue(report).(map[string]any)["path"]; got != "a/b.png" {
		t.Errorf("of a file that was brought: %v", got)
	}
}

// codeOf is the code of a problem, "" for no error.
func codeOf(err error) string {
	if p, is := errors.AsType[*problem.Problem](err); is {
		return p.Code
	}
	return ""
}
