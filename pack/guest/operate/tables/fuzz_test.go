package tables

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

func FuzzTable(f *testing.F) {
	f.Add([]byte("a;b\n1;2\n"))
	f.Add([]byte(`[{"a":1},{"b":[1]}]`))
	f.Add([]byte("\xFF\xFEa\x00"))
	f.Add([]byte("PK\x03\x04"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		file := filepath.Join(dir, "in")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r := &job.Job{Order: job.Order{Scratch: t.TempDir(), Tool: wire.ToolParams{ID: "x", In: []string{file}}}, Send: func(job.Event) {}}
		tb, _, err := parse(t.Context(), r, 0, file, tools.TableSource{Delimiter: "auto", Header: true})
		if job.Serious(err) != nil {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		for _, to := range []string{"csv", "json", "xlsx"} {
			if err := Write(r, tb, tools.TableTarget{To: to, Safe: true}, to); err != nil {
				t.Errorf("%s: %v", to, err)
			}
		}
		if made, err := os.ReadFile(r.Scratch("json")); err != nil || !json.Valid(made) {
			t.Errorf("no JSON: %q, %v", made, err)
		}
	})
}
