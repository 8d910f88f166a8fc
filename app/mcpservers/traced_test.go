package mcpservers

import (
	"bytes"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"piwork/app/settings"
	"piwork/app/telemetry"
	"piwork/app/telemetry/telemetrytest"
)

// Each call is traced, and neither the server, nor the tool, nor what it is called with is named.
func TestCallsAreTraced(t *testing.T) {
	got := telemetrytest.New()
	defer got.Close()
	type chosen struct{ Sent telemetry.Settings }
	file, err := settings.Open(filepath.Join(t.TempDir(), "config.json"), chosen{telemetry.Settings{Endpoint: got.URL}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := telemetry.New(telemetry.Options{Version: "1", Log: slog.New(slog.DiscardHandler), Choice: settings.Of(file, func(c *chosen) *telemetry.Settings { return &c.Sent })})
	if err != nil {
		t.Fatal(err)
	}
	counts.Run()
	w := newWorld(t, map[string]behaviour{"weather": weather})
	w.o.Telemetry = counts
	w.allowed(t, Addition{Name: "weather"})
	u := w.use(t, &person{})
	if code, a := do(t, u, "weather__today", `{"place":"Bonn"}`); code != http.StatusOK {
		t.Errorf("%d %+v", code, a)
	}
	if code, a := do(t, u, "weather__none", `{}`); code != http.StatusNotFound {
		t.Errorf("%d %+v", code, a)
	}
	if err := counts.Close(); err != nil {
		t.Error(err)
	}
	var outcomes []any
	for _, s := range got.Spans() {
		if s.Name != "callServer" {
			t.Errorf("a span %q", s.Name)
		}
		outcomes = append(outcomes, s.Attributes["outcome"])
	}
	if len(outcomes) != 2 || outcomes[0] != "ok" || outcomes[1] != "failed" {
		t.Errorf("%v", outcomes)
	}
	raw, _ := got.Raw()
	for _, name := range []string{"weather", "today", "Bonn"} {
		if bytes.Contains(raw, []byte(name)) {
			t.Errorf("%q was sent", name)
		}
	}
}
