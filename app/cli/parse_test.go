package cli

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/vmhost/wire"
)

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
