//go:build (vm || long) && linux

package guestvm

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/pack/guest/operate/hostile"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

// toolStall is how long an operation may take before a test gives up: LibreOffice
// needs minutes to start in slow mode.
const toolStall = 20 * time.Minute

// Put makes a file in the guest, as programs there would.
func Put(m *Machine, name string, data []byte) {
	m.T.Helper()
	const piece = 400 << 10
	for first := true; first || len(data) > 0; first = false {
		n := min(len(data), piece)
		id := fmt.Sprintf("put%d", rand.Uint64())
		r := Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{
			ID: id, Argv: []string{"sh", "-c", `mkdir -p "$1" && cat >> "$2"`, "put", path.Dir(name), name}, Stdin: data[:n],
		})
		if r.ExitCode != 0 {
			m.T.Fatalf("put %q: %s", name, r.Stderr)
		}
		data = data[n:]
	}
}

// Tool carries out an operation and fails the test where the answer is none.
func Tool(m *Machine, p wire.ToolParams) wire.ToolResult {
	m.T.Helper()
	if p.ID == "" {
		p.ID = fmt.Sprintf("t%d", rand.Uint64())
	}
	ctx, cancel := context.WithTimeout(context.Background(), toolStall)
	defer cancel()
	var r wire.ToolResult
	if err := m.Client.CallResult(ctx, wire.MethodToolRun, p, &r); err != nil {
		m.T.Fatalf("%s: %v", p.Op, err)
	}
	if err := r.Validate(); err != nil {
		m.T.Error(err)
	}
	return r
}

// shell runs a script as the guest's user.
func shell(m *Machine, script string) wire.ExecResult {
	m.T.Helper()
	return Call[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: fmt.Sprintf("sh%d", rand.Uint64()), Argv: []string{"bash", "-c", script}})
}

// OfferHostile offers every operation of the base, or of an add-on, what it must
// not take: refused by name, or done without the harm. picture is a whole JPEG, and slow
// whether what takes long in slow mode is offered, too. An ordinary run offers one thing to
// the operations on pictures, one to those on PDF and so on. Results of before are removed.
func OfferHostile(t *testing.T, m *Machine, addOn string, picture []byte, slow bool) {
	shell(m, "rm -rf /work/out/*") // each row looks through them
	Put(m, "/work/canary.txt", []byte(hostile.Canary))
	h := hostile.Home{Folder: "/work/in/hostile", Outside: "/work", Picture: picture}
	rows, err := hostile.Rows(h, addOn)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{} // what operations are about
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		about, _, _ := strings.Cut(rows[name].Op, ".")
		if rows[name].Slow && !slow || !tier.All && seen[about] {
			continue
		}
		seen[about] = true
		t.Run(name, func(t *testing.T) { playHostile(t, m, h, rows[name]) })
	}
}

func playHostile(t *testing.T, m *Machine, h hostile.Home, row hostile.Row) {
	in := path.Join(h.Folder, row.File)
	Put(m, in, row.Data)
	if row.Prepare != "" {
		if r := shell(m, "cd "+h.Folder+" && "+row.Prepare); r.ExitCode != 0 {
			t.Fatalf("%s", r.Stderr)
		}
	}
	if row.In != "" {
		in = path.Join(h.Folder, row.In)
	}
	p := wire.ToolParams{Op: row.Op, In: []string{in}, Params: row.Params, Limits: wire.Limits{MemoryMB: 400, WallMS: row.WallMS}}
	if row.Out != "" {
		p.Out = "/work/out/" + row.Out
	}
	r := Tool(m, p)
	code := ""
	if len(r.Problems) > 0 {
		code = r.Problems[0].Code
	}
	if !slices.Contains(row.Codes, code) {
		t.Errorf("problems %v, want one of %q", r.Problems, row.Codes)
	}
	got := shell(m, "grep -rlas "+hostile.Canary+" /work/out; cat /work/escaped /tmp/escaped 2>/dev/null; cat /work/canary.txt; find "+h.Folder+" -type f -printf x | wc -c; rm -rf /work/out/h* "+h.Folder)
	if strings.TrimSpace(string(got.Stdout)) != hostile.Canary+"1" {
		t.Errorf("harm: %s", got.Stdout)
	}
	if answer := fmt.Sprint(r.Info, r.Problems); strings.Contains(answer, hostile.Canary) {
		t.Errorf("it tells: %s", answer)
	}
}
