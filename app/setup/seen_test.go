package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"piwork/vmhost/qemu"
)

// Each check is heard of when it is answered, and at the end everybody who listened
// knows what the report says.
func TestSeen(t *testing.T) {
	fails := map[qemu.Accel]error{qemu.AccelKVM: hangs(qemu.AccelKVM)}
	for _, row := range []struct {
		name   string
		f      fake
		before string // what was heard when the boot began
	}{
		{"all is well", fake{facts: works},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed accel-device=passed"},
		{"what does not look fine waits for the boot", fake{facts: denied, proveErr: fails},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed"},
		{"and may turn out not to matter", fake{facts: denied},
			"pack-installed=passed pack-verified=passed accel-cpu=passed accel-firmware=passed accel-system=passed"},
		{"what lies above it is not said to be fine", fake{facts: off, proveErr: fails},
			"pack-installed=passed pack-verified=passed accel-cpu=passed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := row.f.setup()
			var heard []string
			known := map[string]CheckState{}
			began := ""
			prove := s.o.Prove
			s.o.Prove = func(ctx context.Context, i qemu.Image, a qemu.Accel, fresh bool) (qemu.Proof, error) {
				if began == "" {
					began = strings.Join(heard, " ")
				}
				return prove(ctx, i, a, fresh)
			}
			rep, _, err := s.Check(t.Context(), Ask{Seen: func(c Check) {
				heard = append(heard, fmt.Sprintf("%s=%s", c.Code, c.State))
				known[c.Code] = c.State
			}})
			if err != nil {
				t.Fatal(err)
			}
			if began != row.before {
				t.Errorf("before the boot: %s\nwant %s", began, row.before)
			}
			for _, c := range rep.Checks {
				if known[c.Code] != c.State {
					t.Errorf("%s is %s, and was heard of as %q", c.Code, c.State, known[c.Code])
				}
			}
			if len(known) != len(rep.Checks) || !slices.Contains(heard, "accel-boot="+string(rep.Checks[len(rep.Checks)-1].State)) {
				t.Errorf("heard of %v, reported %v", heard, rep.Checks)
			}
		})
	}
}
