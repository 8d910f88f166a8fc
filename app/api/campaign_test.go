package api_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apifuzz"
	"piwork/app/api/apitest"
	"piwork/app/consent"
	"piwork/app/machines"
	"piwork/app/policy"
	"piwork/app/runtimepack/updater"
	"piwork/app/words"
	"piwork/scripts/lib/tier"
)

// TestCampaign: many callers at once who are hasty and hostile, over a socket, are answered as
// the document says, and leave no goroutine. The controller is invented; ./scripts/fuzz does
// the same to the real program.
func TestCampaign(t *testing.T) {
	doc, err := json.Marshal(api.New(api.Options{}).OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.jpg")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := apifuzz.New(doc, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	s := serveLimited(t, apitest.New(apitest.Script{
		UploadDir: t.TempDir(), Has: []any{updater.State{Phase: updater.PhaseUpToDate}, machines.WarmStart{State: machines.WarmReady}, consent.Explanation{Decision: policy.Decision{Effect: policy.Allow}, Matches: []policy.RuleMatch{}}}, // a zero value is none of the document's
	}), api.Limited, api.Options{HoldGrace: time.Second, BodyWithin: time.Second})
	start := map[string]any{"kind": "exec", "argv": []any{"true"}, "folders": []any{}, "detached": true}
	c := &apifuzz.Campaign{
		Fuzz: f, Seed: 24, Workers: 4, Within: time.Minute, Codes: words.ProblemCodes(words.For("en")), Log: t.Logf,
		Examples: map[string][]any{"startTask": {start}}, Often: map[string]int{"startTask": 10},
		Dial: func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "unix", s.socket) },
	}
	if _, err := s.client.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	lasts, err := time.ParseDuration(tier.Pick("3s", "2s", "1m"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	r := c.Run(ctx)
	for _, f := range r.Findings {
		t.Error(f)
	}
	t.Logf("%d requests, %d of %d operations with a success", r.Requests, len(r.Fine), r.Operations)
	await(t, func() bool { return runtime.NumGoroutine() <= before+10 }) // connections that are kept for a while
}
