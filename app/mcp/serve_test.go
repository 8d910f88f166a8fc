package mcp

import (
	"context"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A call ends with its HTTP request, also where the client left before the call was begun.
func TestAttached(t *testing.T) {
	request, leave := context.WithCancel(t.Context())
	a := requests{all: map[string]context.Context{"waits": request}}
	came := func(name string) (context.Context, func()) {
		return a.attached(t.Context(), &sdk.CallToolRequest{Extra: &sdk.RequestExtra{Header: http.Header{requestName: {name}}}})
	}
	stdio, release := a.attached(t.Context(), &sdk.CallToolRequest{})
	defer release()
	elsewhere, release := came("")
	defer release()
	waits, release := came("waits")
	defer release()
	left, release := came("left")
	defer release()
	for name, tt := range map[string]struct {
		ctx  context.Context
		over bool
	}{
		"standard input":      {stdio, false},
		"no name":             {elsewhere, false},
		"the client waits":    {waits, false},
		"it had left already": {left, true},
	} {
		if over := tt.ctx.Err() != nil; over != tt.over {
			t.Errorf("%s: over is %v", name, over)
		}
	}
	leave()
	<-waits.Done()
	if stdio.Err() != nil || elsewhere.Err() != nil {
		t.Error("others ended with it")
	}
}
