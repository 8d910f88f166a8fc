package execution

import (
	"os"
	"testing"

	"piwork/vmhost/wire"
)

// TestMemoryByKeyIsOnesOwn: what a program makes by a key, another of its user does not
// find, unless they are of one session.
func TestMemoryByKeyIsOnesOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes privileges; the same is tried in a machine")
	}
	here, err := os.Readlink("/proc/self/ns/ipc")
	if err != nil {
		t.Fatal(err)
	}
	e := newTestEngine(t, nil)
	// Both live at the same time: the number of one that is gone is given again.
	dir, said := t.TempDir(), make(chan string, 2)
	for id, other := range map[string]string{"a": "b", "b": "a"} {
		go func() {
			r, err := e.Run(t.Context(), sh(id, "readlink /proc/self/ns/ipc; cd "+dir+"; touch "+id+"; until [ -e "+other+" ]; do sleep 0.02; done"))
			if err != nil {
				t.Error(err)
			}
			said <- string(r.Stdout)
		}()
	}
	if a, b := <-said, <-said; a == b || a == "" || b == "" || a == here+"\n" || b == here+"\n" {
		t.Errorf("programs are in %q and %q, this one in %q", a, b, here)
	}
	if _, err := e.CreateSession(wire.Session{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	in := sh("c", "readlink /proc/self/ns/ipc")
	in.Session = "s"
	if r, err := e.Run(t.Context(), in); err != nil || string(r.Stdout) != here+"\n" {
		t.Errorf("a session is in %q (%v), not in %q", r.Stdout, err, here)
	}
}
