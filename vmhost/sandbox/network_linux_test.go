package sandbox

import (
	"testing"

	"piwork/vmhost"
	"piwork/vmhost/hosted/doortest"
)

// Programs of a sandbox with a network reach what piwork lets them, and nothing else.
func TestNetwork(t *testing.T) {
	w, c := doortest.New(t), config(t)
	c.Env.Network, c.Door = vmhost.NetworkRestricted, w.Door
	w.Hold(t, connected(t, c))
}
