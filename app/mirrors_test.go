package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
)

// TestAbandonedMirror: one that still answers with what it had long ago does not
// hide the one that is good.
func TestAbandonedMirror(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	s.publish("1.0.0")
	old := t.TempDir()
	if err := os.CopyFS(old, os.DirFS(s.repo)); err != nil {
		t.Fatal(err)
	}
	abandoned := httptest.NewServer(http.FileServer(http.Dir(old)))
	defer abandoned.Close()
	c := s.openAt(s.options(), []string{s.server.URL})
	s.update(c, updater.Request{})
	s.publish("1.1.0")
	s.update(c, updater.Request{})
	s.close(c)

	c = s.openAt(s.options(), []string{abandoned.URL, "http://127.0.0.1:1"})
	if u, err := c.CheckUpdate(t.Context()); err != nil || u.Problem == nil || u.Problem.Code != problem.CodeUpdateInvalid || u.Problem.Cause != "rollback" {
		t.Errorf("without a good one: %+v, %v", u, err)
	}
	s.close(c)
	c = s.openAt(s.options(), []string{abandoned.URL, s.server.URL})
	if u, err := c.CheckUpdate(t.Context()); err != nil || u.Problem != nil || u.Version != "1.1.0" || u.Phase != updater.PhaseUpToDate {
		t.Errorf("with a good one: %+v, %v", u, err)
	}
}

// TestMistypedAddress: a server that has no channel is none that offers something
// invalid: it is asked again soon, and the settings help.
func TestMistypedAddress(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	s.publish("1.0.0")
	for name, status := range map[string]int{"not-found": http.StatusNotFound, "denied": http.StatusForbidden} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", status) }))
		defer srv.Close()
		s.base = filepath.Join(t.TempDir(), name)
		s.trusts(s.options())
		c := s.openAt(s.options(), []string{srv.URL})
		u, err := c.CheckUpdate(t.Context())
		if err != nil || u.Phase != updater.PhaseOffline || u.Problem == nil || u.Problem.Code != problem.CodeUpdateOffline || u.Problem.Cause != name {
			t.Errorf("%s: %+v, %v", name, u, err)
		}
		s.close(c)
	}
}
