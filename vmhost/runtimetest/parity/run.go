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

// Families of kinds whose cases are played in a folder of a person: where it is mounted, and in
// a copy of it.
const (
	Folders = "folders"
	Copies  = "copies"
)

// inFolders are the subjects for which it counts whose file system it is.
var inFolders = map[string]bool{"files": true, "tools": true}

// Plays reports whether a run plays a case in a kind: one of every row, or an ordinary one.
func Plays(kind string, every bool, c Case) bool {
	switch {
	case of(kind, Folders) && !inFolders[c.Subject], of(kind, Copies) && c.Subject != "files":
		return false
	case every:
		return true
	}
	return c.Ordinary && (kind != Machine || inMachine[c.Subject])
}

// Machine is the kind to which all others are held.
const Machine = "vm"

// Run plays the corpus in a runtime that is ready, prints the table of its kind, writes its
// column (EnvColumns) and returns it. What stands behind a colon in a kind is its variety:
// what is known of "folders" holds for "folders:sandbox". A case is a subtest, so that -run
// chooses some.
func Run(t *testing.T, kind string, r vmhost.Runtime) []Verdict {
	t.Helper()
	known, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	column := known.play(t, kind, r)
	t.Logf("parity of %s:\n%s", kind, Table(map[string][]Verdict{kind: column}))
	if err := writeColumn(kind, column); err != nil {
		t.Error(err)
	}
	return column
}

// play plays the corpus, against these lists.
func (l lists) play(t *testing.T, kind string, r vmhost.Runtime) (column []Verdict) {
	t.Helper()
	each(t, r, func(c Case) bool { return Plays(kind, tier.All, c) }, func(t *testing.T, p player, c Case) {
		v := Verdict{c.Name, Failed, "it was not played to its end"}
		defer func() { column = append(column, v) }()
		if without := p.cannot(c); without != "" {
			v = l.lacking(kind, c.Name, without)
		} else {
			v = l.judge(kind, c.Name, playFor(t, p, c))
		}
		if v.Word == Failed {
			t.Error(v.Reason)
		}
	})
	return column
}

// Record plays the whole corpus in the machine, twice, and writes what it gave to a file;
// what -run leaves out stays as it was.
func Record(t *testing.T, r vmhost.Runtime, file string) {
	t.Helper()
	known, err := readLists()
	if err != nil {
		t.Fatal(err)
	}
	golden := known.golden
	each(t, r, func(Case) bool { return true }, func(t *testing.T, p player, c Case) { golden[c.Name] = playFor(t, p, c) })
	each(t, r, func(Case) bool { return true }, func(t *testing.T, p player, c Case) {
		if v := known.judge(Machine, c.Name, playFor(t, p, c)); v.Word == Failed {
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
