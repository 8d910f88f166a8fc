//go:build vm && linux

package guestvm

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"piwork/pack/tools"
)

// notKept are operations whose results are not kept, with the reason. Those of
// add-ons are none of the base, which is all that these tests boot.
var notKept = map[string]string{
	"file.move":   "it makes nothing; TestOperations looks at what it moved",
	"file.remove": "it makes nothing; TestOperations looks at what is left",
}

// TestOperationsAreAllHeld holds the tables to the catalogue: each operation of
// the base has a result that is kept, and is run twice unless it is random
// on purpose. That each is offered something hostile, package operate tests.
func TestOperationsAreAllHeld(t *testing.T) {
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]made
	if err := json.Unmarshal(b, &kept); err != nil {
		t.Fatal(err)
	}
	named, random, twice := map[string]bool{}, map[string]bool{}, map[string]bool{}
	rows := map[string]bool{}
	for _, o := range operations {
		op, _, _ := strings.Cut(o.name, " ")
		rows[o.name] = true
		m, ok := kept[o.name]
		if !ok || len(m.Out)+len(m.Info) == 0 {
			t.Errorf("%s: nothing is kept in %s", o.name, golden)
		}
		named[op] = true
		random[op] = random[op] || o.random
		twice[op] = twice[op] || !o.once && !o.random
	}
	for name := range kept {
		if !rows[name] {
			t.Errorf("%s is kept and no longer run", name)
		}
	}
	for _, d := range tools.Catalogue() {
		if len(d.AddOns) > 0 {
			continue
		}
		reason := notKept[d.Name]
		if (reason == "") != named[d.Name] {
			t.Errorf("%s: its result is kept %v, and not because %q", d.Name, named[d.Name], reason)
		}
		if reason == "" && !twice[d.Name] && !random[d.Name] {
			t.Errorf("%s is not run twice", d.Name)
		}
		if d.Random && !random[d.Name] {
			t.Errorf("%s is random, and its bytes are kept", d.Name)
		}
	}
}

// TestClaimsAreAllPlayed holds what operations of the base say that they take and
// make to the tables: every format is in a row whose result is kept.
func TestClaimsAreAllPlayed(t *testing.T) {
	var calls []Played
	for _, o := range operations {
		op, _, _ := strings.Cut(o.name, " ")
		calls = append(calls, Played{Op: op, In: o.in, Params: o.params})
	}
	for _, d := range tools.Catalogue() {
		if len(d.AddOns) > 0 {
			continue
		}
		if missing := Unplayed(d, calls); len(missing) > 0 {
			t.Errorf("%s: no row shows that it %q", d.Name, missing)
		}
	}
}
