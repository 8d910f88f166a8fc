package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// Usage is what Clean then removes, and asking leaves nothing.
func TestUsage(t *testing.T) {
	s, there := computer(t)
	usage := func() Usage {
		t.Helper()
		u, err := there.Usage(soon(t))
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if u := usage(); u != (Usage{}) || len(s.left(t)) > 0 {
		t.Errorf("nothing is there: %+v, %q", u, s.left(t))
	}
	began := time.Now().Add(-2 * time.Second) // of a clock that counts seconds
	c := config(t, there)
	agent, err := os.Stat(c.Agent)
	if err != nil {
		t.Fatal(err)
	}
	r := connected(t, s, c)
	run(t, r, "head -c 3000000 /dev/urandom >/work/large")
	if u := usage(); u.Places != 1 || u.Bytes < agent.Size()+3_000_000 || u.Used.Before(began) || u.Used.After(time.Now()) {
		t.Errorf("at work: %+v", u)
	}
	if err := r.Close(soon(t)); err != nil {
		t.Error(err)
	}
	if u := usage(); u.Places != 0 || u.Bytes < agent.Size() || u.Bytes > agent.Size()+1_000_000 || u.Used.Before(began) {
		t.Errorf("afterwards: %+v", u)
	}
	if err := there.Clean(soon(t)); err != nil {
		t.Error(err)
	}
	if u := usage(); u != (Usage{}) {
		t.Errorf("cleaned: %+v", u)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(s.home, ".cache/piwork")); err != nil {
		t.Fatal(err)
	}
	if _, err := there.Usage(soon(t)); !unfitFor(err) {
		t.Errorf("a link: %v", err)
	}
	if err := os.Remove(filepath.Join(s.home, ".cache/piwork")); err != nil {
		t.Error(err)
	}
}

func unfitFor(err error) bool {
	var f *vmhost.FailedError
	return errors.As(err, &f) && f.Reason == vmhost.ReasonRemoteUnfit
}

// A computer can say anything.
func TestParseUsage(t *testing.T) {
	if u, err := parseUsage("12 3 1700000000\n"); err != nil || u != (Usage{Bytes: 12 << 10, Places: 3, Used: time.Unix(1700000000, 0)}) {
		t.Errorf("%+v %v", u, err)
	}
	if u, err := parseUsage("1 0 99999999999"); err != nil || u.Used.After(time.Now()) {
		t.Errorf("%+v %v", u, err)
	}
	for _, said := range []string{"", "x", "1 2", "1 2 3 4", "-1 0 0", "0 -1 0", "0 0 -1", "1e3 0 0", "9223372036854775807 0 0", "0 9223372036854775807 0", "99999999999999999999 0 0", "unsafe", strings.Repeat("1 ", 1000)} {
		if u, err := parseUsage(said); !unfitFor(err) || len(err.Error()) > 500 {
			t.Errorf("%.20q: %+v %v", said, u, err)
		}
	}
}

// Clean ends what runs and removes everything.
func TestClean(t *testing.T) {
	s, there := computer(t)
	r := connected(t, s, config(t, there))
	done := make(chan error, 1)
	go func() {
		_, err := r.Execute(soon(t), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"sh", "-c", "mkdir /work/d && chmod 0 /work/d; sleep 600"}}})
		done <- err
	}()
	for range 2 {
		if err := there.Clean(soon(t)); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-done; err == nil {
		t.Error("it runs on")
	}
	if _, err := os.Lstat(filepath.Join(s.home, ".cache/piwork")); err == nil {
		t.Errorf("left: %q", s.left(t))
	}
}
