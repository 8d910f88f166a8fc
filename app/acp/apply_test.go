package acp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"piwork/app/acp"
	"piwork/app/api/apitest"
	"piwork/app/history"
)

// applying takes long to apply changes.
type applying struct {
	acp.Service
	begun   chan context.Context
	release chan struct{}
}

func (s applying) Apply(ctx context.Context, id string, r history.ApplyRequest) (history.ApplyReport, error) {
	s.begun <- ctx
	select {
	case <-ctx.Done():
		return history.ApplyReport{}, ctx.Err()
	case <-s.release:
		return s.Service.Apply(ctx, id, r)
	}
}

// Changes that the person allowed are applied to the end when the editor closes meanwhile; the door
// waits for that, and not for ever.
func TestCloseWhileApplying(t *testing.T) {
	for _, stuck := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := applying{begun: make(chan context.Context, 1), release: make(chan struct{})}
			e := open(t, wish{
				script: apitest.Script{Changed: staged}, answer: chosen(sdk.PermissionOptionKindAllowOnce),
				through: func(x acp.Service) acp.Service { s.Service = x; return s },
			})
			id := e.session()
			go func() { _, _ = e.prompt(id, sdk.TextBlock("Tidy up")) }()
			ctx := <-s.begun
			if err := e.in.Close(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // the door closes
			if ctx.Err() != nil || len(e.over) > 0 {
				t.Errorf("applying is cut off: %v, %d", ctx.Err(), len(e.over))
			}
			want := 0
			if !stuck {
				want = 4
				close(s.release)
				synctest.Wait()
			} else {
				time.Sleep(10 * time.Minute)
			}
			applied := 0
			for _, w := range e.fake.Wishes() {
				if r, ok := w.(history.ApplyRequest); ok {
					applied += len(r.IDs)
				}
			}
			if applied != want || len(e.over) == 0 {
				t.Errorf("applied %d of %d; closed: %d", applied, want, len(e.over))
			}
			time.Sleep(time.Hour) // until no connection is kept for another request
		})
	}
}
