package update

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust/channel"
)

// noise is content that does not compress.
func noise(n int, seed byte) string {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(b)
	return string(b)
}

// released is a pack as a channel announces it.
type released struct {
	*packtest.Pack
	data   []byte
	target channel.Target
}

func release(t testing.TB, o packtest.Options) *released {
	t.Helper()
	p := &released{Pack: packtest.New(t, o)}
	var err error
	if p.data, err = os.ReadFile(p.File); err != nil {
		t.Fatal(err)
	}
	h, err := pack.ReadHead(t.Context(), bytes.NewReader(p.data), p.Keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(p.data)
	name := p.Manifest.ArchiveName()
	digest := hex.EncodeToString(sum[:])
	p.target = channel.Target{Name: name, Path: channel.TargetPath(digest, "packs/"+name), Length: int64(len(p.data)), SHA256: digest, Head: h.Length, Manifest: h.Digest}
	return p
}

// files are those of a pack with an image of some size, and one tool in it
// changed.
func files(tool byte) map[string]string {
	f := packtest.Files()
	f["guest/rootfs.img"] = noise(5<<20, 1) + noise(100<<10, tool) + noise(4<<20, 2)
	return f
}

// serveFiles serves content at paths over TCP, and counts.
func serveFiles(t *testing.T, at map[string][]byte, around func(http.Handler) http.Handler) (string, *server) {
	t.Helper()
	s := &server{h: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := at[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		content(data, `"`+r.URL.Path+`"`).ServeHTTP(w, r)
	})}
	if around != nil {
		s.h = around(s.h)
	}
	hs := httptest.NewUnstartedServer(s)
	hs.Config.ErrorLog = quiet
	hs.Start()
	t.Cleanup(hs.Close)
	return hs.URL, s
}

func newStore(t testing.TB) *pack.Store {
	t.Helper()
	s, err := pack.OpenStore(filepath.Join(t.TempDir(), "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A first installation, and an update of it that fetches what changed: over TCP,
// from a server that breaks off now and then.
func TestUpdate(t *testing.T) {
	signer := packtest.NewSigner(t)
	v1 := release(t, packtest.Options{Version: "1.0.0", Files: files(10), Signer: signer})
	v2 := release(t, packtest.Options{Version: "1.1.0", Files: files(11), Signer: signer})
	base, srv := serveFiles(t, map[string][]byte{v1.target.Path: v1.data, v2.target.Path: v2.data},
		func(h http.Handler) http.Handler { return first(3, limited(200<<10, h, hangUp), h) })
	c, err := New(Options{Mirrors: []string{base}, Proxy: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := newStore(t)
	var from []*pack.Installed
	for _, v := range []*released{v1, v2} {
		srv.sent.Store(0)
		h, err := c.Head(t.Context(), v.target, v.Keys, spec.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if got := srv.sent.Load(); got != v.target.Head {
			t.Errorf("%d bytes for a head of %d", got, v.target.Head)
		}
		plan, err := NewPlan(h, s, from...)
		if err != nil || !plan.Fits() {
			t.Fatalf("plan %+v, %v", plan, err)
		}
		a, err := pack.Assemble(t.Context(), h, s, v.Keys, pack.AssembleOptions{From: from})
		if err != nil {
			t.Fatal(err)
		}
		srv.sent.Store(0)
		var last Progress
		if err := c.Get(t.Context(), v.target, a, func(p Progress) { last = p }); err != nil {
			t.Fatal(err)
		}
		sent := srv.sent.Load()
		if sent > plan.Download+maxGap || last.Done != plan.Download {
			t.Errorf("%s: %d bytes sent, %d were planned, progress %+v", h.Manifest.Version, sent, plan.Download, last)
		}
		if from != nil && sent > v.target.Length/4 {
			t.Errorf("an update of %d bytes in %d fetched %d, plan %+v", 100<<10, v.target.Length, sent, plan)
		}
		in, err := a.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Verify(t.Context(), pack.LevelFull); err != nil {
			t.Error(err)
		}
		from = append(from, in)
	}
}

// Heads that are not the announced one are refused, or asked for elsewhere.
func TestHead(t *testing.T) {
	signer := packtest.NewSigner(t)
	v1 := release(t, packtest.Options{Version: "1.0.0", Files: files(1), Signer: signer})
	old := release(t, packtest.Options{Version: "0.9.0", Signer: signer})
	twin := release(t, packtest.Options{Version: "1.0.0", Signer: signer})
	foreign := release(t, packtest.Options{Version: "1.0.0"})
	flipped := bytes.Clone(v1.data)
	flipped[v1.target.Head-3] ^= 1 // in the checksum of the last frame
	short := v1.data[:v1.target.Head/2]
	garbage := []byte(noise(len(v1.data), 9))
	at := func(data []byte) http.Handler { return content(data, "") }
	liar := func(data []byte) http.Handler { // says that the length is the announced one
		return content(append(bytes.Clone(data), make([]byte, max(len(v1.data)-len(data), 0))...)[:len(v1.data)], "")
	}
	tests := []struct {
		name    string
		mirrors []http.Handler
		policy  spec.Policy
		head    int64 // that is announced, 0 is the right one
		kind    spec.Kind
		code    Code
	}{
		{name: "the announced one", mirrors: []http.Handler{at(v1.data)}},
		{name: "without ranges", mirrors: []http.Handler{whole(v1.data)}},
		{name: "one that breaks off", mirrors: []http.Handler{first(1, limited(500, at(v1.data), hangUp), at(v1.data))}},
		{name: "a flipped byte, and a good one", mirrors: []http.Handler{at(flipped), at(v1.data)}},
		{name: "a flipped byte", mirrors: []http.Handler{at(flipped)}, kind: spec.KindCorrupt},
		{name: "garbage", mirrors: []http.Handler{liar(garbage)}, kind: spec.KindNotAPack},
		{name: "an older one", mirrors: []http.Handler{liar(old.data)}, head: old.target.Head, kind: spec.KindWrongVersion},
		{name: "one of the same name", mirrors: []http.Handler{liar(twin.data)}, head: twin.target.Head, kind: spec.KindWrongSize},
		{name: "one signed by another", mirrors: []http.Handler{liar(foreign.data)}, head: foreign.target.Head, kind: spec.KindForeignKey},
		{name: "for another computer", mirrors: []http.Handler{at(v1.data)}, policy: spec.Policy{HostOS: "plan9"}, kind: spec.KindWrongPlatform},
		{name: "too short", mirrors: []http.Handler{at(short)}, code: CodeChanged},
		{name: "none", mirrors: []http.Handler{http.NotFoundHandler()}, code: CodeNotFound},
	}
	for _, tt := range tests {
		run(t, tt.name, func(t *testing.T, w *world) {
			var base []string
			for i, h := range tt.mirrors {
				name := "m" + string(rune('0'+i)) + ".test"
				w.serve(name+":80", h, nil)
				base = append(base, "http://"+name)
			}
			target := v1.target
			if tt.head > 0 {
				target.Head = tt.head
			}
			h, err := w.client(Options{Mirrors: base}).Head(t.Context(), target, v1.Keys, tt.policy)
			if spec.KindOf(err) != tt.kind || CodeOf(err) != tt.code || (err == nil) != (tt.kind == "" && tt.code == "") {
				t.Fatalf("got %v, want %q %q", err, tt.kind, tt.code)
			}
			if err == nil && h.Manifest.Version != "1.0.0" {
				t.Errorf("got %s", h.Manifest.Version)
			}
		})
	}
	h, err := pack.ReadHead(t.Context(), bytes.NewReader(v1.data), v1.Keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	longer, other := v1.target, v1.target
	longer.Length++
	other.Head--
	for _, target := range []channel.Target{longer, other} {
		if err := same(h, target); spec.KindOf(err) != spec.KindWrongSize {
			t.Errorf("another pack of the same name: %v", err)
		}
	}
	forged := v1.target
	forged.Manifest = strings.Repeat("0", 64)
	if err := same(h, forged); spec.KindOf(err) != spec.KindBadManifest {
		t.Errorf("another pack of the same name and lengths: %v", err)
	}
}

// What a person has already, and where it is looked for.
func TestFile(t *testing.T) {
	p := packtest.New(t, packtest.Options{Version: "1.2.0"})
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	data, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := Beside(t.Context(), []string{dir, filepath.Join(dir, "none")}, p.Keys, spec.Policy{}); f != nil || err != nil {
		t.Errorf("in an empty directory: %v, %v", f, err)
	}
	host := runtime.GOOS + "-" + runtime.GOARCH
	put("piwork-runtime-"+host+"-1.3.0.tar.zst", []byte("not a pack"))
	put("piwork-runtime-plan9-mips-1.4.0.tar.zst", data)
	put("piwork-runtime-"+host+"-x.tar.zst", data)
	put("notes.txt", data)
	if f, err := Beside(t.Context(), []string{dir}, p.Keys, spec.Policy{}); f != nil || spec.KindOf(err) == "" {
		t.Errorf("with nothing usable: %v, %v", f, err)
	}
	good := put("piwork-runtime-"+host+"-1.2.0 (1).tar.zst", data)
	f, err := Beside(t.Context(), []string{dir}, p.Keys, spec.Policy{})
	if err != nil || f == nil || f.File != good || f.Kind != KindRuntime || f.Version != "1.2.0" {
		t.Fatalf("got %+v, %v", f, err)
	}
	if _, err := pack.Install(t.Context(), f.File, newStore(t), p.Keys, pack.InstallOptions{}); err != nil {
		t.Error(err)
	}
	addon := packtest.NewAddOn(t, "media", packtest.New(t, packtest.Options{Verity: true, Signer: p.Signer}))
	if f, err := File(t.Context(), addon.File, p.Keys, spec.Policy{}); err != nil || f.Kind != KindAddOn || f.AddOn != "media" {
		t.Errorf("an add-on: %+v, %v", f, err)
	}
	for _, signed := range []bool{true, false} {
		o := pack.BundleBuildOptions{Packs: []string{p.File}, Keys: p.Keys, Out: dir}
		if signed {
			o.Signer = p.Signer.Sign
		}
		_, file, err := pack.BuildBundle(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := Beside(t.Context(), []string{dir}, p.Keys, spec.Policy{}); err != nil || f.File != file || f.Kind != KindBundle || f.Version != "1.2.0" {
			t.Errorf("a bundle: %+v, %v", f, err)
		}
	}
	for name, want := range map[string]spec.Kind{put("empty", nil): spec.KindTruncated, dir: spec.KindNotAPack, put("text", []byte("hello, world")): spec.KindNotAPack} {
		if _, err := File(t.Context(), name, p.Keys, spec.Policy{}); spec.KindOf(err) != want {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	if _, err := File(t.Context(), filepath.Join(dir, "none"), p.Keys, spec.Policy{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if len(Places()) == 0 {
		t.Error("no place to look at")
	}
}
