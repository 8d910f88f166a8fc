package channel_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"piwork/pack/trust"
	"piwork/pack/trust/channel"
)

// TestEndlessData: whatever file does not end, the client stops reading at its
// bound, also when the fetcher does not.
func TestEndlessData(t *testing.T) {
	for _, name := range []string{"2.root.json", "timestamp.json", "1.snapshot.json", "1.targets.json", "keys.json", "1.stable.json", "linux-amd64.json"} {
		for fetcher, honest := range map[string]bool{"bound kept": true, "bound ignored": false} {
			t.Run(name+", "+fetcher, func(t *testing.T) {
				w := newWorld(t)
				asked := int64(-1)
				w.srv.hook = func(ctx context.Context, path string, max int64) ([]byte, error, bool) {
					if !strings.HasSuffix(path, name) {
						return nil, nil, false
					}
					asked = max
					if honest {
						return nil, &channel.Error{Kind: channel.KindTooLarge, File: path}, true
					}
					return bytes.Repeat([]byte(" "), int(max)+1), nil, true
				}
				w.refuses(channel.KindTooLarge, "")
				if asked < 1 || asked > 1<<20 {
					t.Errorf("bound of %d bytes", asked)
				}
			})
		}
	}
}

// TestEndlessRoots: a chain of validly signed roots is followed so far and no
// further, and a little further the next time.
func TestEndlessRoots(t *testing.T) {
	w := newWorld(t)
	last := w.read("metadata/1.root.json")
	// The first successor hands over to one key: each root is verified for every
	// key of the role, again and again.
	one := newSigner(t)
	signers := append(slices.Clone(w.keys["root"]), one)
	w.srv.hook = func(ctx context.Context, path string, max int64) ([]byte, error, bool) {
		var n int64
		if _, err := fmt.Sscanf(path, "metadata/%d.root.json", &n); err != nil {
			return nil, nil, false
		}
		last = forge(w, last, func(s *rootT) {
			s.Version = n
			if n > 2 {
				return
			}
			for _, id := range s.Roles["root"].KeyIDs {
				delete(s.Keys, id)
			}
			setRole(w, s, "root", 1, one)
		}, signers...)
		signers = []*trust.Signer{one}
		return last, nil, true
	}
	w.refuses(channel.KindTooLarge, "")
	w.srv.hook = nil
	w.offers("1.0.0")
	if n := len(w.srv.asked()); n < 64 || n > 100 {
		t.Errorf("%d fetches", n)
	}
}

// TestSlowRetrieval: neither a slow server nor a fetcher that never returns
// holds a refresh beyond its time.
func TestSlowRetrieval(t *testing.T) {
	for name, deaf := range map[string]bool{"until cancelled": false, "for ever": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // waits take no time and are exact
				w := newWorld(t)
				stop := make(chan struct{})
				defer close(stop)
				w.srv.hook = func(ctx context.Context, path string, max int64) ([]byte, error, bool) {
					done := ctx.Done()
					if deaf {
						done = nil
					}
					select {
					case <-done:
					case <-stop:
					}
					return nil, ctx.Err(), true
				}
				const patience = 30 * time.Second
				c, err := channel.Open(channel.Options{Root: w.root, Dir: w.home, Name: "stable", Host: host, Fetch: w.srv, Timeout: patience})
				w.must(err)
				began := time.Now()
				if _, err := c.Refresh(t.Context()); channel.KindOf(err) != channel.KindUnreachable {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took != patience {
					t.Errorf("gave up after %v, not %v", took, patience)
				}
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if _, err := w.c.Refresh(ctx); channel.KindOf(err) != channel.KindUnreachable {
					t.Errorf("cancelled: %v", err)
				}
			})
		})
	}
}
