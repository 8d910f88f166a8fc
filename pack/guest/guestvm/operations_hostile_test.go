//go:build vm && linux

package guestvm

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/operate/hostile"
	"piwork/vmhost/wire"
)

// offerHostile offers every operation what it must not take: refused by name, or
// done without the harm.
func offerHostile(t *testing.T, m *Machine) {
	put(m, "/work/canary.txt", []byte(hostile.Canary))
	h := hostile.Home{Folder: "/work/in/hostile", Outside: "/work", Picture: pictureOf(t, "progressive.jpg")}
	rows, err := hostile.Rows(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		t.Run(name, func(t *testing.T) { playHostile(t, m, h, rows[name]) })
	}
}

func playHostile(t *testing.T, m *Machine, h hostile.Home, row hostile.Row) {
	in := path.Join(h.Folder, row.File)
	put(m, in, row.Data)
	if row.Prepare != "" {
		if r := run(m, fmt.Sprintf("prepare%d", rand.Uint64()), "cd "+h.Folder+" && "+row.Prepare); r.ExitCode != 0 {
			t.Fatalf("%s", r.Stderr)
		}
	}
	if row.In != "" {
		in = path.Join(h.Folder, row.In)
	}
	p := wire.ToolParams{Op: row.Op, In: []string{in}, Params: row.Params, Limits: wire.Limits{MemoryMB: 400}}
	if row.Out != "" {
		p.Out = "/work/out/" + row.Out
	}
	r := tool(m, p)
	code := ""
	if len(r.Problems) > 0 {
		code = r.Problems[0].Code
	}
	if !slices.Contains(row.Codes, code) {
		t.Errorf("problems %v, want one of %q", r.Problems, row.Codes)
	}
	got := run(m, fmt.Sprintf("canary%d", rand.Uint64()), "grep -rlas "+hostile.Canary+" /work/out; cat /work/escaped /tmp/escaped 2>/dev/null; cat /work/canary.txt; find "+h.Folder+" -type f -printf x | wc -c; rm -rf /work/out/h* "+h.Folder)
	if strings.TrimSpace(string(got.Stdout)) != hostile.Canary+"1" {
		t.Errorf("harm: %s", got.Stdout)
	}
	if answer := fmt.Sprint(r.Info, r.Problems); strings.Contains(answer, hostile.Canary) {
		t.Errorf("it tells: %s", answer)
	}
}

// zipped is a zip of one file.
func zipped(t testing.TB, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err == nil {
		_, err = io.WriteString(f, content)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
