package channel_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

func TestRefresh(t *testing.T) {
	w := newWorld(t)
	if _, err := w.c.Last(); !errors.Is(err, channel.ErrNothingKnown) {
		t.Errorf("knows something before the first refresh: %v", err)
	}
	r := w.offers("1.0.0")
	want := "targets/packs/" + r.Archive.SHA256 + ".piwork-runtime-linux-amd64-1.0.0.tar.zst"
	if r.Archive.Path != want || r.Archive.Length != int64(len("archive of 1.0.0")) || r.Archive.Head != 7 ||
		!r.Published.Equal(start) || r.Notes != "What is new in 1.0.0" || !r.Expires.Equal(start.Add(7*24*time.Hour)) {
		t.Errorf("got %+v", r)
	}
	if data, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(r.Archive.Path))); err != nil || string(data) != "archive of 1.0.0" {
		t.Errorf("the archive is not where the release says: %v", err)
	}

	// The same again costs the root's successor and the timestamp.
	w.srv.forget()
	w.offers("1.0.0")
	if len(w.srv.asked()) != 2 {
		t.Errorf("fetched %v", w.srv.asked())
	}
	w.publish("1.1.0", 24*time.Hour)
	w.offers("1.1.0")

	// Offline: the same answer from the disk, also long after, also by a new program.
	w.now = w.now.Add(365 * 24 * time.Hour)
	last, err := w.client("stable", host).Last()
	if err != nil || last.Version != "1.1.0" {
		t.Errorf("last: %+v, %v", last, err)
	}
	info, err := os.Stat(w.home)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
}

// TestNotOffered: a channel or platform that is not there is no attack, and the
// key list is kept all the same.
func TestNotOffered(t *testing.T) {
	for name, c := range map[string]struct{ channel, host string }{
		"no such channel":           {"beta", host},
		"nothing for this platform": {"stable", "windows-amd64"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			_, err := w.client(c.channel, c.host).Refresh(context.Background())
			if channel.KindOf(err) != channel.KindNotOffered {
				t.Errorf("got %v", err)
			}
			l, err := channel.Keys(w.root, w.home)
			if err != nil || len(l.Signing) != 1 || l.Signing[0].Name != "release-2026" {
				t.Errorf("keys: %+v, %v", l, err)
			}
		})
	}
}

// TestAnotherChannel: changing the channel keeps what was learnt of the
// repository, and says nothing of the other channel's release.
func TestAnotherChannel(t *testing.T) {
	w := newWorld(t)
	w.keys["beta"] = append(w.keys["beta"], newSigner(t))
	w.change(func(r *repo.Repo) error { return r.AddChannel("beta", roleOf(t, 1, w.keys["beta"]...)) })
	w.offers("1.0.0")
	beta := w.client("beta", host)
	if r, err := beta.Last(); !errors.Is(err, channel.ErrNothingKnown) {
		t.Errorf("beta offers %+v, %v", r, err)
	}
	if _, err := beta.Refresh(context.Background()); channel.KindOf(err) != channel.KindNotOffered {
		t.Errorf("got %v", err)
	}
	w.offers("1.0.0")
}

// TestImport: a bundle teaches what it knows whatever the date, and takes
// nothing back.
func TestImport(t *testing.T) {
	w := newWorld(t)
	old := t.TempDir()
	w.must(os.CopyFS(old, os.DirFS(w.dir)))
	w.publish("1.1.0", time.Hour)

	bundle := channel.FromFS(os.DirFS(w.dir))
	w.now = start.Add(5 * 365 * 24 * time.Hour) // everything has expired
	w.srv.files["metadata/timestamp.json"] = nil
	r, err := w.c.Import(context.Background(), bundle)
	if err != nil || r.Version != "1.1.0" {
		t.Fatalf("import: %+v, %v", r, err)
	}
	if _, err := w.c.Import(context.Background(), bundle); err != nil {
		t.Errorf("again: %v", err)
	}
	if _, err := w.c.Import(context.Background(), channel.FromFS(os.DirFS(old))); channel.KindOf(err) != channel.KindRollback {
		t.Errorf("an older bundle: %v", err)
	}
	if last, err := w.c.Last(); err != nil || last.Version != "1.1.0" {
		t.Errorf("afterwards: %+v, %v", last, err)
	}

	// The clock of an import is no clock: a refresh at an earlier time works.
	w.now = start.Add(2 * time.Hour)
	w.srv.files = nil
	w.offers("1.1.0")
}

// TestUnreachable: no network is no refusal; it becomes one to speak of when
// what is known has expired.
func TestUnreachable(t *testing.T) {
	w := newWorld(t)
	offline := errors.New("no route to host")
	w.srv.hook = func(context.Context, string, int64) ([]byte, error, bool) { return nil, offline, true }
	w.refuses(channel.KindUnreachable, "")
	w.srv.hook = nil
	w.offers("1.0.0")
	w.srv.hook = func(context.Context, string, int64) ([]byte, error, bool) { return nil, offline, true }
	w.refuses(channel.KindUnreachable, "1.0.0")
	if _, err := w.c.Refresh(context.Background()); !errors.Is(err, offline) {
		t.Errorf("the cause is lost: %v", err)
	}
	w.now = w.now.Add(8 * 24 * time.Hour)
	w.refuses(channel.KindStale, "1.0.0")
}

// TestStoppedAnywhere stops a refresh at each of its fetches: what was learnt so
// far is valid, and the next one ends it.
func TestStoppedAnywhere(t *testing.T) {
	count := func(w *world, stop int) (int, error) {
		n := 0
		w.srv.hook = func(ctx context.Context, path string, max int64) ([]byte, error, bool) {
			n++
			return nil, errors.New("cut"), n == stop
		}
		_, err := w.c.Refresh(context.Background())
		w.srv.hook = nil
		return n, err
	}
	for stop := 1; ; stop++ {
		w := newWorld(t)
		w.offers("1.0.0")
		fresh := newSigner(t)
		w.keys["timestamp"] = append(w.keys["timestamp"], fresh)
		w.change(func(r *repo.Repo) error { return r.SetRole("timestamp", roleOf(t, 1, fresh)) })
		w.publish("1.1.0", time.Hour)
		n, err := count(w, stop)
		if n < stop {
			w.must(err)
			if stop < 6 {
				t.Errorf("only %d fetches", n)
			}
			return
		}
		if err == nil {
			t.Fatalf("stopped at fetch %d without an error", stop)
		}
		if last, err := w.c.Last(); stop > 1 && err == nil && last.Version != "1.0.0" {
			t.Errorf("stopped at %d: %+v", stop, last)
		}
		w.offers("1.1.0")
	}
}

// TestTwoClients: two that share a directory do not undo what the other learnt,
// and reading waits for nobody.
func TestTwoClients(t *testing.T) {
	w := newWorld(t)
	w.offers("1.0.0")
	old := w.copyRepo()
	w.publish("1.1.0", time.Hour)
	begun, goOn := make(chan struct{}), make(chan struct{})
	slow := &server{fsys: os.DirFS(w.dir), files: map[string][]byte{"metadata/timestamp.json": old["metadata/timestamp.json"]}}
	slow.hook = func(ctx context.Context, path string, max int64) ([]byte, error, bool) {
		if path == "metadata/2.root.json" {
			close(begun)
			<-goOn
		}
		return nil, nil, false
	}
	first, err := channel.Open(channel.Options{Root: w.root, Dir: w.home, Name: "stable", Host: host, Fetch: slow, Now: func() time.Time { return w.now }})
	w.must(err)
	answers := make(chan error, 2)
	go func() {
		_, err := first.Refresh(context.Background())
		answers <- err
	}()
	<-begun
	if last, err := w.c.Last(); err != nil || last.Version != "1.0.0" {
		t.Errorf("last: %+v, %v", last, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := w.c.Refresh(ctx); channel.KindOf(err) != channel.KindUnreachable {
		t.Errorf("did not give up waiting: %v", err)
	}
	go func() {
		_, err := w.c.Refresh(context.Background())
		answers <- err
	}()
	close(goOn)
	w.must(<-answers)
	w.must(<-answers)
	if last, err := w.c.Last(); err != nil || last.Version != "1.1.0" {
		t.Errorf("last: %+v, %v", last, err)
	}
}
