package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/upkeep"
)

// TestTamperedAddOn: a damaged add-on is repaired like the runtime, and named.
func TestTamperedAddOn(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	s.publish("1.0.0")
	for _, name := range []string{"guest/media.img", "manifest.json", "tools.json"} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.base = t.TempDir()
			s.world.t = t
			s.trusts(s.options())
			c := s.open()
			s.install(c, s.packs["1.0.0"])
			s.update(c, updater.Request{AddOns: []string{"media"}})
			if rep, err := c.Status(t.Context(), true); err != nil || !rep.Ready {
				t.Fatalf("%+v, %v", rep, err)
			}
			dir := filepath.Join(c.o.DataDir, runtimepack.AddOnsDir, "media", "1.0.0")
			if l, err := c.Licences(t.Context()); err != nil || !slices.ContainsFunc(l.Items, func(l upkeep.Licence) bool { return strings.HasPrefix(l.File, dir) }) {
				t.Errorf("the licences of the add-on are not listed: %v", err)
			}
			file := filepath.Join(dir, filepath.FromSlash(name))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			data[0] ^= 1
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			rep, err := c.Status(t.Context(), true)
			list, lerr := c.AddOns(t.Context())
			if err != nil || lerr != nil || len(list) != 1 {
				t.Fatalf("%v, %v, %+v", err, lerr, list)
			}
			var p *problem.Problem
			if name == "manifest.json" { // it is left out, and the rest works
				p = list[0].Problem
				if !rep.Ready || list[0].Usable || p.Params["name"] != "media" || p.Severity != problem.Failed {
					t.Errorf("%+v, %+v", rep, list[0])
				}
			} else if p = &rep.Problems[0]; rep.Ready {
				t.Errorf("%+v", rep)
			}
			if p.Code != problem.CodePackCorrupt || p.Fix[0].Code != problem.FixRepairPack {
				t.Errorf("%+v", p)
			}
			if info, err := c.RepairPack(t.Context(), ""); err != nil || !info.Current {
				t.Fatalf("%+v, %v", info, err)
			}
			if rep, err := c.Status(t.Context(), true); err != nil || !rep.Ready {
				t.Errorf("after the repair: %+v, %v", rep, err)
			}
			if list, err := c.AddOns(t.Context()); err != nil || len(list) != 1 || !list[0].Usable || list[0].Problem != nil {
				t.Errorf("after the repair: %+v, %v", list, err)
			}
		})
	}
}
