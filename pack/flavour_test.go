package pack

import (
	"strings"
	"testing"

	"piwork/pack/spec"
)

// TestFlavour: packs from before there were flavours are own, and one of a flavour
// that this program does not know is trusted with nothing.
func TestFlavour(t *testing.T) {
	for _, tt := range []struct {
		flavour, want spec.Flavour
		all, none     bool
	}{
		{"", spec.FlavourOwn, true, false}, {spec.FlavourOwn, spec.FlavourOwn, true, false},
		{spec.FlavourStock, spec.FlavourStock, false, true}, {"later", "later", false, true},
	} {
		m := validManifest(t)
		m.Flavour = tt.flavour
		raw, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := spec.ParseManifest(raw)
		if err != nil || got.FlavourOf() != tt.want {
			t.Errorf("%q: %v, %v", tt.flavour, got, err)
			continue
		}
		a := got.Abilities()
		if missing := len(a.Missing()); (missing == 0) != tt.all || (missing == 4) != tt.none {
			t.Errorf("%q: without %q", tt.flavour, a.Missing())
		}
		if all := a == (spec.Abilities{EmulatedProcessors: true, PrivateMemory: true, Device9P: true, SmallMachine: true}); all != tt.all || (a == spec.Abilities{}) != tt.none {
			t.Errorf("%q: %+v", tt.flavour, a)
		}
		if strings.Contains(string(raw), `"flavour"`) != (tt.flavour != "") {
			t.Errorf("%q: %s", tt.flavour, raw)
		}
	}
	m := validManifest(t)
	m.Flavour = "Not A Word"
	if _, err := m.Encode(); err == nil {
		t.Error("a flavour that is no word is accepted")
	}
}
