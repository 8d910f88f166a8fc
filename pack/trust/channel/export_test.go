package channel_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata/trustedmetadata"

	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// TestExport: what one client learnt, another one that never had a network
// learns from it, years later, through a change of keys.
func TestExport(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(t.TempDir(), "bundle")
	if err := w.c.Export(dir); !errors.Is(err, channel.ErrNothingKnown) {
		t.Errorf("exported nothing: %v", err)
	}
	fresh := newSigner(t)
	w.keys["timestamp"] = append(w.keys["timestamp"], fresh)
	w.change(func(r *repo.Repo) error { return r.SetRole("timestamp", roleOf(t, 1, fresh)) })
	w.publish("1.1.0", time.Hour)
	w.offers("1.1.0")
	w.must(w.c.Export(dir))

	w.now = w.now.AddDate(3, 0, 0)
	w.home = filepath.Join(t.TempDir(), "other")
	w.srv.hook = func(context.Context, string, int64) ([]byte, error, bool) {
		t.Error("asked the network")
		return nil, os.ErrInvalid, true
	}
	w.c = w.client("stable", host)
	r, err := w.c.Import(context.Background(), channel.FromFS(os.DirFS(dir)))
	if err != nil || r.Version != "1.1.0" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if l, err := channel.Keys(w.root, w.home); err != nil || len(l.Signing) != 1 {
		t.Errorf("keys: %+v, %v", l, err)
	}
}

// TestPlainTUF: our repositories are nothing but TUF: the library alone, without
// this package's rules, verifies one from root to release.
func TestPlainTUF(t *testing.T) {
	w := newWorld(t)
	u, err := trustedmetadata.New(w.root)
	w.must(err)
	u.RefTime = w.now
	_, err = u.UpdateTimestamp(w.read("metadata/timestamp.json"))
	w.must(err)
	_, err = u.UpdateSnapshot(w.read("metadata/1.snapshot.json"), false)
	w.must(err)
	_, err = u.UpdateTargets(w.read("metadata/1.targets.json"))
	w.must(err)
	role, err := u.UpdateDelegatedTargets(w.read("metadata/1.stable.json"), "stable", "targets")
	w.must(err)
	f := role.Signed.Targets["stable/linux-amd64.json"]
	w.must(f.VerifyLengthHashes(w.read(channel.TargetPath(f.Hashes["sha256"].String(), "stable/linux-amd64.json"))))
}
