package consent

import (
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"piwork/app/audit"
	"piwork/app/audit/audittest"
	"piwork/app/events"
	"piwork/app/registry"
	"piwork/app/settings"
	"piwork/app/task"
)

// Where the searches of tasks go is in the audit log before it is so, with the host alone.
func TestAuditHasWhereSearchesGo(t *testing.T) {
	file, err := settings.Open(filepath.Join(t.TempDir(), "settings.json"), WebSearch{Kind: SearchNone}, nil)
	if err != nil {
		t.Fatal(err)
	}
	store, err := task.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	broker := events.New(time.Now)
	defer broker.Close()
	audited := audittest.Open(t)
	c := New(Options{Registry: registry.New(store, broker, log), Log: log, Now: time.Now, Audit: audited, Search: settings.Of(file, func(s *WebSearch) *WebSearch { return s })})
	for _, s := range []WebSearch{{Kind: SearchSearXNG, URL: "https://search.example/find"}, {Kind: SearchSearXNG, URL: "no address"}, {Kind: SearchNone}} {
		if _, err := c.SetWebSearch(t.Context(), s); (err != nil) != (s.URL == "no address") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	page, err := audited.Records(t.Context(), audit.Filter{Event: audit.EventDecision})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range page.Records {
		got = append(got, r.Decision.Topic+" "+r.Decision.Answer+" "+r.Decision.Mode)
	}
	slices.Sort(got)
	if want := []string{"web-search removed ", "web-search written search.example"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := audited.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err := c.SetWebSearch(t.Context(), WebSearch{Kind: SearchSearXNG, URL: "https://search.example"}); err == nil || c.o.Search.Get().Kind != SearchNone {
		t.Errorf("it is chosen without a record: %+v", s)
	}
}
