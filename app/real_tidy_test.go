//go:build vm

package app

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/app/chore"
)

// tidied is how many files are tidied: 300, or as many as PIWORK_TEST_FILES says.
// Thousands take minutes in slow mode.
var tidied = func() int {
	if n, err := strconv.Atoi(os.Getenv("PIWORK_TEST_FILES")); err == nil {
		return n
	}
	return 300
}()

// mixed makes a folder of n files of many kinds and ages, some of them twice.
func mixed(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Downloads")
	kinds := []string{"jpg", "PDF", "zip", "exe", "txt", "csv", "mp3", "docx", "dmg", "weird", "tar.gz", ""}
	now := time.Now()
	for i := range n {
		name := fmt.Sprintf("Datei %d ü.%s", i, kinds[i%len(kinds)])
		switch i % 50 {
		case 7:
			name = fmt.Sprintf("-rf %d.txt", i)
		case 8:
			name = fmt.Sprintf("line\nbreak %d.pdf", i)
		case 9:
			name = fmt.Sprintf("folder %d/inner.txt", i)
		case 10:
			name = fmt.Sprintf("empty %d/in it/", i)
		}
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(p, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(p, []byte(strings.Repeat(fmt.Sprint(i/2), 1+i/2%40)), 0o600+fs.FileMode(i%2)*0o44); err != nil {
			t.Fatal(err)
		}
		when := now.AddDate(0, 0, -i%400).Add(-time.Duration(i) * time.Millisecond)
		if err := os.Chtimes(p, when, when); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exactly describes everything in a folder: names, content, modes, times.
func exactly(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		out[rel] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if d.Type().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			out[rel] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func differences(a, b map[string]string) (out []string) {
	for k := range a {
		if a[k] != b[k] {
			out = append(out, fmt.Sprintf("%q: %s, %s", k, a[k], b[k]))
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			out = append(out, fmt.Sprintf("%q: new", k))
		}
	}
	return out[:min(len(out), 10)]
}

// testAsPlanned holds what is there to a plan and to what was there before: each
// file is where the plan has it, with its content, mode and time, and nothing else
// came or went.
func testAsPlanned(t *testing.T, plan chore.Plan, before, after map[string]string) {
	t.Helper()
	rel := func(p string) string { return strings.TrimPrefix(p, "/folders/Downloads/") }
	want := map[string]string{}
	for name, what := range before {
		want[name] = what
	}
	for _, op := range plan.Operations {
		if op.Effect == chore.EffectMove {
			want[rel(op.Out)] = before[rel(op.In[0].Path)]
			delete(want, rel(op.In[0].Path))
		} else {
			delete(want, rel(op.Out))
		}
	}
	for _, tree := range []map[string]string{want, after} {
		for name, what := range tree {
			if strings.HasPrefix(what, "d") { // new ones have other times
				delete(tree, name)
			}
		}
	}
	if d := differences(want, after); len(d) > 0 {
		t.Errorf("not as planned: %q", d)
	}
}
