package chore_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/chore"
	"piwork/app/chore/choretest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Plans as they are recorded: what a person said yes to is done by later versions
// of the program, too, and a password is in none of them.
func TestMakingGoldenPlans(t *testing.T) {
	heic := sample(t, "a.heic")
	pdf := func(password string, pages ...string) string { return string(choretest.PDF(password, pages...)) }
	for name, c := range map[string]struct {
		params map[string]any
		files  map[string]string
	}{
		"convert-pictures": {map[string]any{"side": 2048, "recursive": true}, map[string]string{"IMG_10.HEIC": heic, "IMG_9.heic": heic, "in/IMG_9.heic": heic, "cut.heic": heic[:60]}},
		"merge-pdf":        {nil, map[string]string{"10.pdf": pdf("", "1"), "9.pdf": pdf("", "1", "2"), "locked.pdf": pdf("pw", "1")}},
		"split-pdf":        {map[string]any{"every": 2}, map[string]string{"-r.pdf": pdf("", "1", "2", "3"), "one.pdf": pdf("", "1")}},
		"unlock-pdf":       {map[string]any{"password": "correct horse"}, map[string]string{"a.pdf": pdf("correct horse", "1"), "open.pdf": pdf("", "1")}},
		"searchable-scans": {map[string]any{"language": "de"}, map[string]string{"b.pdf": pdf("", "1"), "a.heic": heic}},
		"join-tables":      {map[string]any{"format": "xlsx"}, map[string]string{"1.csv": "A\n1\n", "2.tsv": "A\tB\n1\t2\n"}},
		"unpack-archives":  {nil, map[string]string{"a.tar.gz": archive(t, ".tar.gz", "in.txt"), "no.zip": "no archive"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, june, c.files)
			ch, b := makeBench(t, name, dir, c.params)
			plan := mustMakePlan(t, ch, b)
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(plan); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "golden", name+".json")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the plan is\n%s\nwant\n%s", got.Bytes(), want)
			}
			if bytes.Contains(want, []byte("horse")) {
				t.Error("the plan has the password")
			}
			// It is carried out as it was recorded.
			var recorded chore.Plan
			if err := json.Unmarshal(want, &recorded); err != nil {
				t.Fatal(err)
			}
			out, err := ch.Run(t.Context(), b.env, recorded)
			if name != "unpack-archives" && (err != nil || len(out.Results) == 0) {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}
