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
	seen := map[string]bool{here + "\n": true}
	for _, id := range []string{"a", "b"} {
		r, err := e.Run(t.Context(), sh(id, "readlink /proc/self/ns/ipc"))
		if err != nil || len(r.Stdout) == 0 || seen[string(r.Stdout)] {
			t.Errorf("%s is in %q (%v); before it were %v", id, r.Stdout, err, seen)
		}
		seen[string(r.Stdout)] = true
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
