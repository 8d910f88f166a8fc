package container

import (
	"errors"
	"os"
	"strings"
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/hosted"
	"piwork/vmhost/hosted/doortest"
)

// Programs of a container with a network reach what piwork lets them, with and without folders.
func TestNetwork(t *testing.T) {
	w := doortest.New(t)
	c, _, _ := shared(t, config(t))
	c.Env.Network, c.Door = vmhost.NetworkRestricted, w.Door
	r := connected(t, c)
	w.Hold(t, r)
	if got := run(t, r, "cat a.txt"); string(got.Stdout) != "first\n" {
		t.Errorf("%+v", got)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(c.Dir); err == nil {
		t.Error("its directory is left")
	}
}

// A network that nobody judges, and one that an engine cannot be shown, are refused.
func TestNetworkThatCannotBe(t *testing.T) {
	f := newFake(t)
	f.answer["/info"] = text(strings.Replace(goodInfo, `["name`, `["name=selinux","name`, 1))
	for name, door := range map[string]*hosted.Door{"nobody judges it": nil, "SELinux": {}} {
		c := fakeConfig(t, f)
		c.Env.Network, c.Door = vmhost.NetworkRestricted, door
		r, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		var unsupported *vmhost.UnsupportedError
		if err := r.Connect(soon(t)); !errors.As(err, &unsupported) || !strings.Contains(unsupported.What, "network") {
			t.Errorf("%s: %v", name, err)
		}
		if err := r.Close(soon(t)); err != nil {
			t.Error(err)
		}
	}
}
