//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/app/api/apitest"
	"piwork/app/task"
	"piwork/app/tasks"
)

// Results that another computer says a task has, whatever it calls them, are saved as ordinary
// files in the folder that was named: none is hidden, such as what a shell reads when it starts.
func TestSavedResultsAreOrdinaryFiles(t *testing.T) {
	names := map[string]string{
		"results/report.txt": "report.txt", ".bashrc": "result", "a/.ssh": "result", "..": "result", ".": "result", "": "result", "results/": "results", "../../etc/cron.d/x": "x",
		"a\x1b[2Jb": "a_[2Jb", "a\nb.txt": "a_b.txt", `c:\x\y.exe`: "c__x_y.exe", "nul.txt": "_nul.txt", strings.Repeat("a", 300): "result", "-rf": "-rf",
	}
	for name, want := range names {
		f, _ := inBackground(t)
		f.Results = []apitest.ResultFile{{Result: task.Result{Path: name, Size: 5}, Data: []byte("hello")}}
		made, err := f.StartTask(t.Context(), tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Accept: true, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		for !made.State.Final() {
			if made, err = f.Task(t.Context(), made.ID); err != nil {
				t.Fatal(err)
			}
		}
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		var said, errs bytes.Buffer
		if code := run(t.Context(), []string{"task", "results", made.ID, "--out", out}, Options{Stdin: strings.NewReader(""), Stdout: &said, Stderr: &errs, Open: f.held}); code != 0 {
			t.Errorf("%q: exit %d, %s", name, code, &errs)
		}
		saved, err := os.ReadDir(out)
		if err != nil || len(saved) != 1 || saved[0].Name() != want {
			t.Errorf("%q is saved as %v, want %q: %v", name, saved, want, err)
		}
		if beside, err := os.ReadDir(dir); err != nil || len(beside) != 1 || strings.Contains(said.String(), "\x1b") {
			t.Errorf("%q: %v %v, %q", name, beside, err, said.String())
		}
	}
}
