package debian

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// snapshots serves as an archive of snapshots does: a path below a time gives the
// file of the last run at or before it; without a run, or the file in it, 404.
type snapshots struct {
	runs     map[string]map[string]string // by archive and time; "debian/20261101T000000Z"
	redirect bool                         // to the run's own time, as some mirrors do
	requests []string
}

func (s *snapshots) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests = append(s.requests, r.URL.Path)
	part := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 4)
	if len(part) != 4 || part[0] != "archive" {
		http.NotFound(w, r)
		return
	}
	last := ""
	for run := range s.runs {
		if archive, _, _ := strings.Cut(run, "/"); archive == part[1] && run <= part[1]+"/"+part[2] && run > last {
			last = run
		}
	}
	text, ok := s.runs[last][part[3]]
	if s.redirect && ok && last != part[1]+"/"+part[2] {
		http.Redirect(w, r, "/archive/"+last+"/"+part[3], http.StatusFound)
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, "", time.Unix(1700000000, 0), strings.NewReader(text))
}

func TestFetchSnapshot(t *testing.T) {
	const content = "content of a"
	p := packageOf("aa", content)
	security := p
	security.Archive = ArchiveSecurity
	at := time.Date(2026, 11, 20, 8, 15, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		p        Package
		runs     map[string]map[string]string
		redirect bool
		gone     bool
		fails    string
	}{
		"in the run before": {p: p, runs: map[string]map[string]string{
			"debian/20261119T210000Z": {p.Path: content}, "debian/20261123T030000Z": {},
		}},
		"the mirror redirects": {p: p, redirect: true, runs: map[string]map[string]string{
			"debian/20261119T210000Z": {p.Path: content}, "debian/20261123T030000Z": {},
		}},
		"recorded only afterwards": {p: p, runs: map[string]map[string]string{
			"debian/20261119T210000Z": {}, "debian/20261120T090000Z": {p.Path: content},
		}},
		"replaced on that day": {p: p, runs: map[string]map[string]string{
			"debian/20261120T030000Z": {p.Path: content}, "debian/20261120T210000Z": {},
		}},
		"of the security archive": {p: security, runs: map[string]map[string]string{
			"debian/20261119T210000Z": {}, "debian-security/20261119T220000Z": {p.Path: content},
		}},
		"other bytes": {p: p, fails: "SHA", runs: map[string]map[string]string{
			"debian/20261119T210000Z": {p.Path: "content of b"},
		}},
		"never there": {p: p, gone: true, runs: map[string]map[string]string{
			"debian/20261119T210000Z": {}, "debian/20261123T030000Z": {p.Path: content},
		}},
		"nothing as old": {p: p, gone: true, runs: map[string]map[string]string{
			"debian/20261123T030000Z": {p.Path: content},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, apt, store := fetchSetup(t, nil)
			s := &snapshots{runs: tt.runs, redirect: tt.redirect}
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			err := store.FetchSnapshot(t.Context(), apt, Snapshots(server.URL), at, []Package{tt.p}, nil)
			var gone *GoneError
			switch {
			case errors.As(err, &gone) != tt.gone:
				t.Fatalf("%v, asked for %q", err, s.requests)
			case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
				t.Errorf("error %v, want one with %q", err, tt.fails)
			case tt.fails == "" && !tt.gone && err != nil:
				t.Fatalf("%v, asked for %q", err, s.requests)
			}
			got, err := os.ReadFile(store.Path(tt.p))
			if wanted := tt.fails == "" && !tt.gone; wanted && string(got) != content || !wanted && err == nil {
				t.Errorf("the store has %q, %v", got, err)
			}
		})
	}
}

func TestFindSnapshots(t *testing.T) {
	for asked, want := range map[string]Snapshots{"": "", "http://a.example/snapshots/": "http://a.example/snapshots", "file:/srv/snapshots": "file:/srv/snapshots"} {
		if got, err := FindSnapshots(func(string) string { return asked }); err != nil || got != want {
			t.Errorf("%q: %q %v", asked, got, err)
		}
	}
	if _, err := FindSnapshots(func(string) string { return "a.example" }); err == nil {
		t.Error("what is no URL is taken")
	}
}
