package update

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sigstore/sigstore/pkg/cryptoutils"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
)

// From the root of trust to an installed version: a repository as a release makes
// it, served as plain files, over HTTP and from a directory.
func TestChannel(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p := release(t, packtest.Options{Version: "2.0.0", Files: files(1)})
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	signer, err := trust.NewSigner(private)
	must(err)
	public, err := signer.PublicKey()
	must(err)
	pem, err := cryptoutils.MarshalPublicKeyToPEM(public)
	must(err)
	one := repo.Role{Threshold: 1}
	one.Keys = append(one.Keys, public)
	dir := t.TempDir()
	r, err := repo.Init(dir, map[string]repo.Role{"root": one, "targets": one, "snapshot": one, "timestamp": one},
		channel.KeyList{Signing: []channel.SigningKey{{Name: "release", PEM: string(pem)}}}, repo.Options{})
	must(err)
	must(r.AddChannel("stable", one))
	target, err := r.AddArchive(p.File, p.Manifest.ArchiveName(), p.target.Head, p.target.Manifest)
	must(err)
	must(r.AddRelease("stable", runtime.GOOS+"-"+runtime.GOARCH, channel.Release{Version: "2.0.0", Archive: target}))
	must(r.Publish(signer))
	root, err := r.Root()
	must(err)

	files := http.FileServerFS(os.DirFS(dir))
	for _, over := range []string{"http", "http with a dead mirror before it", "directory"} {
		t.Run(over, func(t *testing.T) {
			o := Options{Proxy: "direct", Version: "1.0.0", Mirrors: []string{"file://" + filepath.ToSlash(dir)}}
			srv := &server{h: files}
			if over != "directory" {
				base, s := serveFiles(t, nil, func(http.Handler) http.Handler { return files })
				srv, o.Mirrors = s, []string{base}
			}
			if over == "http with a dead mirror before it" {
				o.Mirrors = append([]string{"http://127.0.0.1:1"}, o.Mirrors...)
			}
			c, err := New(o)
			must(err)
			defer c.Close()
			ch, err := channel.Open(channel.Options{Root: root, Dir: filepath.Join(t.TempDir(), "channel"), Name: "stable", Fetch: c})
			must(err)
			rel, err := ch.Refresh(t.Context())
			must(err)
			h, err := c.Head(t.Context(), rel.Archive, p.Keys, spec.Policy{})
			must(err)
			a, err := pack.Assemble(t.Context(), h, newStore(t), p.Keys, pack.AssembleOptions{})
			must(err)
			srv.sent.Store(0)
			must(c.Get(t.Context(), rel.Archive, a, nil))
			if sent := srv.sent.Load(); sent > target.Length {
				t.Errorf("%d bytes were sent for %d", sent, target.Length)
			}
			in, err := a.Finish(t.Context())
			must(err)
			must(in.Verify(t.Context(), pack.LevelFull))
			file := filepath.Join(t.TempDir(), target.Name)
			must(c.Save(t.Context(), rel.Archive, file, nil))
			if f, err := File(t.Context(), file, p.Keys, spec.Policy{}); err != nil || f.Version != "2.0.0" {
				t.Errorf("the saved file: %+v, %v", f, err)
			}
		})
	}
}
