//go:build unix

package operate

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/operate/hostile"
	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

func hostileRows(t *testing.T, h hostile.Home) map[string]hostile.Row {
	t.Helper()
	rows, err := hostile.Rows(h, "")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Each operation is offered something hostile: those of the base by TestOperations
// in pack/guest/guestvm, those of an add-on by TestAddOns in pack/image.
func TestAllAreOfferedHostileFiles(t *testing.T) {
	attacked, all := map[string]bool{}, map[string]hostile.Row{}
	addOns := map[string]bool{"": true}
	for _, d := range tools.Catalogue() {
		for _, addOn := range d.AddOns {
			addOns[addOn] = true
		}
	}
	for addOn := range addOns {
		rows, err := hostile.Rows(hostile.Home{Folder: "/in", Outside: "/work"}, addOn)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, rows)
	}
	for name, row := range all {
		if _, ok := tools.Find(row.Op); !ok || len(row.Codes) == 0 {
			t.Errorf("%s: %q, %q", name, row.Op, row.Codes)
		}
		attacked[row.Op] = true
	}
	for _, d := range tools.Catalogue() {
		if !attacked[d.Name] {
			t.Errorf("%s is offered nothing hostile", d.Name)
		}
	}
}

// TestHostile plays the rows that are refused, or done, before a program would be
// started; pack/guest/guestvm plays all of them.
func TestHostile(t *testing.T) {
	played := 0
	dir := t.TempDir()
	atHome(t, dir)
	h := hostile.Home{Folder: filepath.Join(dir, "in"), Outside: t.TempDir(), Picture: jpegBytes(t)}
	for name, row := range hostileRows(t, h) {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.dir = dir
			defer emptied(t, dir, h.Outside)
			canary := filepath.Join(h.Outside, "canary.txt")
			if err := os.WriteFile(canary, []byte(hostile.Canary), 0o600); err != nil {
				t.Fatal(err)
			}
			b.at(filepath.Join("in", row.File), "2024-01-01", string(row.Data))
			if row.Prepare != "" {
				c := exec.CommandContext(t.Context(), "sh", "-c", row.Prepare)
				c.Dir = h.Folder
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%s", out)
				}
			}
			in := filepath.Join(h.Folder, row.File)
			if row.In != "" {
				in = filepath.Join(h.Folder, row.In)
			}
			p := wire.ToolParams{ID: "x", Op: row.Op, In: []string{in}, Params: row.Params}
			if row.Out != "" {
				p.Out = filepath.Join(b.dir, row.Out)
			}
			program := ""
			r, err := Run(t.Context(), job.Order{Tool: p, Scratch: b.scratch}, func(_ context.Context, c job.Command) (tools.Ending, error) {
				program = c.Argv[0]
				return tools.Ending{ExitCode: 1}, nil
			}, func(job.Event) {})
			if err != nil {
				t.Fatal(err)
			}
			if program != "" {
				t.Skip(program, " is not on this computer; TestOperations plays the same table in the machine, which has it")
			}
			played++
			code := ""
			if len(r.Problems) > 0 {
				code = r.Problems[0].Code
			}
			if !slices.Contains(row.Codes, code) {
				t.Errorf("problems %v, want one of %q", r.Problems, row.Codes)
			}
			if answer := fmt.Sprint(r.Info, r.Problems); strings.Contains(answer, hostile.Canary) {
				t.Errorf("it tells: %s", answer)
			}
			if left, err := os.ReadDir(h.Outside); err != nil || len(left) != 1 {
				t.Errorf("outside is %v, %v", left, err)
			}
			told(t, b.dir, canary)
		})
	}
	const least = 20
	if played < least {
		t.Errorf("%d rows were played without programs, at least %d can", played, least)
	}
}

// emptied removes what is in directories, for the next row.
func emptied(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				t.Error(err)
			}
		}
	}
}

// told looks for the canary in all that is there.
func told(t *testing.T, dir, canary string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		if strings.Contains(string(data), hostile.Canary) {
			t.Errorf("%s tells what is in %s", p, canary)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
