package parity

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"piwork/scripts/lib/tier"
	"piwork/vmhost"
)

// patience is how long one case may take: far more than the slow mode needs.
const patience = 20 * time.Minute

// inMachine are the subjects that an ordinary run plays in a machine: what its kernel and its
// user are to a script. What the programs of the pack give is the same bytes in every kind; in
// an ordinary run the sandbox and this computer hold it to what the machine gave, at their own
// pace, and TestOperations of pack/guest/guestvm has each program at work in a machine.
var inMachine = map[string]bool{"shell": true, "files": true, "refusals": true}

// Run plays the corpus in a runtime that is ready, prints the table of its kind and
// returns its column. A case is a subtest, so that -run chooses some.
func Run(t *testing.T, kind string, r vmhost.Runtime) []Verdict {
	t.Helper()
	golden, err := Golden()
	if err != nil {
		t.Fatal(err)
	}
	known, err := Differences()
	if err != nil {
		t.Fatal(err)
	}
	var column []Verdict
	each(t, r, func(c Case) bool { return tier.All || c.Ordinary && (kind != "vm" || inMachine[c.Subject]) }, func(t *testing.T, p player, c Case) {
		if lacks := p.cannot(c); lacks != "" {
			column = append(column, Verdict{c.Name, Cannot, lacks})
			return
		}
		v := judge(kind, c.Name, playFor(t, p, c), golden, known)
		if column = append(column, v); v.Word == Failed {
			t.Error(v.Reason)
		}
	})
	t.Logf("parity of %s:\n%s", kind, Table(map[string][]Verdict{kind: column}))
	return column
}

// Record plays the whole corpus in the machine, twice, and writes what it gave to a file;
// what -run leaves out stays as it was.
func Record(t *testing.T, r vmhost.Runtime, file string) {
	t.Helper()
	golden, err := Golden()
	if err != nil {
		t.Fatal(err)
	}
	each(t, r, func(Case) bool { return true }, func(t *testing.T, p player, c Case) { golden[c.Name] = playFor(t, p, c) })
	each(t, r, func(Case) bool { return true }, func(t *testing.T, p player, c Case) {
		if v := judge("vm", c.Name, playFor(t, p, c), golden, nil); v.Word == Failed {
			t.Errorf("twice in the same machine: %s", v.Reason)
		}
	})
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]Result{}
	for _, c := range all {
		if got, in := golden[c.Name]; in {
			kept[c.Name] = got
		}
	}
	b, err := json.MarshalIndent(kept, "", "\t")
	if err == nil {
		err = os.WriteFile(file, append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// each does something with every case that is played, each in a fresh directory.
func each(t *testing.T, r vmhost.Runtime, played func(Case) bool, do func(*testing.T, player, Case)) {
	t.Helper()
	all, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, c := range all {
		if played(c) {
			cases = append(cases, c)
		}
	}
	p := newPlayer(r)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.prepare(ctx, cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Subject+"/"+c.Name, func(t *testing.T) { do(t, p, c) })
	}
	ctx, cancel = context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.remove(ctx); err != nil {
		t.Errorf("the directories of the cases stay: %v", err)
	}
}

// playFor plays a case for a test.
func playFor(t *testing.T, p player, c Case) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	began := time.Now()
	got, err := p.play(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d ms", time.Since(began).Milliseconds())
	return got
}
