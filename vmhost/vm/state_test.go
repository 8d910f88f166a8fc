//go:build unix

package vm

import (
	"errors"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// A state is mounted with the folders, whether there are any or not; a guest that
// knows nothing of it is refused by what it lacks.
func TestState(t *testing.T) {
	h := newFactory(t, "good").ensured()
	config := func(from Config) Config {
		from.ServeFS, from.State = echoFS, true
		return from
	}
	booted := newVM(t, config(fakeConfig(t, "good")))
	if err := booted.Connect(soon(t)); err != nil {
		t.Fatal(err)
	}
	for _, v := range []*VM{h.connected(config(h.config()), HowRestored), booted} {
		if r := reportOf(t, v); !strings.HasPrefix(r.Mounted, Share9P+" at /folders") || !strings.HasSuffix(r.Mounted, " with state") {
			t.Errorf("%s: the guest has mounted %q", v.How(), r.Mounted)
		}
	}

	old := newVM(t, config(fakeConfig(t, "knows no state")))
	err := old.Connect(soon(t))
	if failed, is := errors.AsType[*vmhost.FailedError](err); !is || failed.Reason != vmhost.ReasonVersion || !strings.Contains(err.Error(), wire.CanMountState) {
		t.Errorf("an older guest: %v", err)
	}

	c := fakeConfig(t, "good")
	if c.State = true; c.check() == nil {
		t.Error("a state that nobody serves is accepted")
	}
}
