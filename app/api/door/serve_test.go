package door

import (
	"context"
	"net"
	"net/http"
	"testing"

	"piwork/app/problem"
)

// TestTheEndIsSaid: a request that waits when the server ends is told so, and not that somebody
// cancelled it.
func TestTheEndIsSaid(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	came := make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(came)
		<-r.Context().Done()
		w.Header().Set("Code", problem.From(context.Cause(r.Context())).Code)
	})
	over := make(chan error, 1)
	go func() { over <- Limited.Serve(ctx, ln, h) }()
	go func() { <-came; cancel() }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ln.Addr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if code := res.Header.Get("Code"); code != problem.CodeShuttingDown {
		t.Errorf("the request heard %q", code)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}
