package channel_test

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"slices"
	"testing"
	"time"

	"piwork/pack/trust/channel"
)

// TestNoRepositoryThere: at a place without a timestamp there is no repository. It
// is a place that does not answer, and no news for too long is told as such.
func TestNoRepositoryThere(t *testing.T) {
	w := newWorld(t)
	gone := func(context.Context, string, int64) ([]byte, error, bool) { return nil, fs.ErrNotExist, true }
	w.srv.hook = gone
	w.refuses(channel.KindUnreachable, "")
	w.srv.hook = nil
	w.offers("1.0.0")
	w.srv.hook = gone
	w.refuses(channel.KindUnreachable, "1.0.0")
	w.now = w.now.Add(365 * 24 * time.Hour)
	w.refuses(channel.KindStale, "1.0.0")
}

// places are mirrors of a repository, of which the first answers.
type places []*server

func (p places) Fetch(ctx context.Context, path string, max int64) ([]byte, error) {
	return p[0].Fetch(ctx, path, max)
}

func (p places) Mirrors() iter.Seq[channel.Fetcher] {
	return func(yield func(channel.Fetcher) bool) {
		for _, s := range p {
			if !yield(s) {
				return
			}
		}
	}
}

// TestBadMirror: a mirror that was abandoned or spoilt does not stand before one
// that is good; where none is, the worst is told and nothing is learnt.
func TestBadMirror(t *testing.T) {
	const timestamp = "metadata/timestamp.json"
	for _, tc := range []struct {
		name  string
		spoil func(w *world, s *server, before map[string][]byte)
		alone channel.Kind // what it is without the good one
	}{
		{"stale", func(_ *world, s *server, before map[string][]byte) {
			for p, data := range before {
				s.files[p] = data
			}
		}, channel.KindExpired},
		{"tampered with", func(w *world, s *server, _ map[string][]byte) {
			s.files[timestamp] = forge(w, w.read(timestamp), func(s *timestampT) { s.Version = 9 }, newSigner(w.t))
		}, channel.KindBadSignature},
		{"half copied", func(_ *world, s *server, _ map[string][]byte) {
			s.files["metadata/2.snapshot.json"] = nil
		}, channel.KindMissing},
		{"a page", func(_ *world, s *server, _ map[string][]byte) {
			s.files[timestamp] = []byte("<html>")
		}, channel.KindMalformed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, before := newAttacked(t)
			w.publish("1.2.0", 90*24*time.Hour) // what was before has expired
			bad := &server{fsys: os.DirFS(w.dir), files: map[string][]byte{}}
			tc.spoil(w, bad, before)
			if tc.name == "half copied" {
				bad.files[w.meta("snapshot")] = nil
			}
			dead := &server{fsys: os.DirFS(t.TempDir()), files: map[string][]byte{}}
			open := func(p places) {
				c, err := channel.Open(channel.Options{Root: w.root, Dir: w.home, Name: "stable", Host: host, Fetch: p, Now: func() time.Time { return w.now }})
				w.must(err)
				w.c = c
			}
			open(places{bad, dead})
			w.refuses(tc.alone, "1.0.0")
			if !slices.Contains(dead.asked(), timestamp) {
				t.Error("the other mirror was not asked")
			}
			open(places{bad, dead, w.srv})
			w.offers("1.2.0")
			if last, err := w.c.Last(); err != nil || last.Version != "1.2.0" {
				t.Errorf("afterwards: %+v, %v", last, err)
			}
		})
	}
}

// TestGoodMirrorAlone: an answer that holds is not asked for twice.
func TestGoodMirrorAlone(t *testing.T) {
	w := newWorld(t)
	other := &server{fsys: os.DirFS(w.dir)}
	c, err := channel.Open(channel.Options{Root: w.root, Dir: w.home, Name: "stable", Host: "darwin-arm64", Fetch: places{w.srv, other}, Now: func() time.Time { return w.now }})
	w.must(err)
	if _, err := c.Refresh(t.Context()); channel.KindOf(err) != channel.KindNotOffered {
		t.Errorf("got %v", err)
	}
	if len(other.asked()) != 0 {
		t.Errorf("asked again: %v", other.asked())
	}
}
