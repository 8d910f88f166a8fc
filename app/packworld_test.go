package app

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/chore/choretest"
	"piwork/app/folders"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/vm"
)

// packWorld is a world with the real packs: stores, keys, channel and downloads,
// from a server of the test. Only machines and proof boots are scripted.
type packWorld struct {
	*world
	t      *testing.T
	signer *packtest.Signer // of packs
	key    *trust.Signer    // of the channel
	repo   string
	server *httptest.Server
	asked  atomic.Int64 // requests
	packs  map[string]*packtest.Pack
	addOns map[string]*packtest.Pack // "media", made over each version: by version
	boots  map[string]error          // by version
	fails  int                       // machines that are not to come up; see onMachine

	real bool // machines, their folders and proof boots are real ones

	failing atomic.Value // version whose machines do not come up
}

func newPackWorld(t *testing.T, versions ...string) *packWorld {
	t.Helper()
	s := &packWorld{world: newWorld(t), t: t, packs: map[string]*packtest.Pack{}, addOns: map[string]*packtest.Pack{}, boots: map[string]error{}}
	s.signer = packtest.NewSigner(t)
	for _, v := range versions {
		files := packtest.Files()
		files["guest/vmlinux"] = packtest.Random("kernel", 200_000) // the same in all, to be taken over
		files["tools.json"] = `{"of": "` + v + `"}`
		s.packs[v] = packtest.New(t, packtest.Options{Version: v, Signer: s.signer, Verity: true, Files: files})
		s.addOns[v] = packtest.NewAddOn(t, "media", s.packs[v])
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if s.key, err = trust.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	s.repo = t.TempDir()
	role := repo.Role{Keys: []crypto.PublicKey{private.Public()}, Threshold: 1}
	r, err := repo.Init(s.repo, map[string]repo.Role{"root": role, "targets": role, "snapshot": role, "timestamp": role}, channel.KeyList{}, repo.Options{})
	if err == nil {
		err = r.AddChannel(runtimepack.ChannelName, role)
	}
	if err == nil {
		err = r.Publish(s.key)
	}
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(s.repo))
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(s.server.Close)
	s.trusts(s.options())
	return s
}

// trusts has the configuration of a developer who trusts the signers.
func (s *packWorld) trusts(o Options) {
	s.t.Helper()
	root, err := os.ReadFile(filepath.Join(s.repo, "metadata", "1.root.json"))
	if err == nil {
		err = os.MkdirAll(o.ConfigDir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(o.ConfigDir, trust.ChannelRootFile), root, 0o600)
	}
	if err == nil {
		err = trust.AddDeveloperKey(filepath.Join(o.ConfigDir, trust.DeveloperFile), s.signer.Key)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *packWorld) options() Options {
	o := s.world.options()
	o.Developer = true
	return o
}

// open starts a controller; with the channel in its settings, and nothing by
// itself.
func (s *packWorld) open() *Controller {
	s.t.Helper()
	return s.openAt(s.options(), []string{s.server.URL})
}

func (s *packWorld) openAt(o Options, urls []string) *Controller {
	s.t.Helper()
	c, err := open(s.t.Context(), o, s.seams)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { s.close(c) })
	if _, err := c.SetUpdates(s.t.Context(), updater.Settings{URLs: urls, Proxy: "direct"}); err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *packWorld) close(c *Controller) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		s.t.Error(err)
	}
}

func (s *packWorld) seams(ctx context.Context, o Options) (seams, error) {
	all, err := s.world.seams(ctx, o)
	if err != nil {
		return seams{}, err
	}
	packs, err := runtimepack.OpenStore(ctx, o.packs())
	if err != nil {
		return seams{}, err
	}
	all.packs, all.updater = packs, packs.Updater
	if s.real {
		all.share = folders.Sharing(o.Log, nil)
		all.prove, all.machine = realProver(o, proofCache(o)), func(c vm.Config) (vmhost.Runtime, error) { return vm.New(c) }
		return all, nil
	}
	make := all.machine
	all.machine = func(m vm.Config) (vmhost.Runtime, error) {
		rt, err := make(m)
		if err == nil && s.failing.Load() == m.PackVersion {
			rt.(*choretest.Runtime).OnConnect = func(context.Context) error { return errors.New("no root") }
		}
		return rt, err
	}
	all.prove = func(ctx context.Context, image qemu.Image, a qemu.Accel, fresh bool) (qemu.Proof, error) {
		s.mu.Lock()
		err := s.boots[filepath.Base(filepath.Dir(filepath.Dir(image.Kernel)))]
		s.mu.Unlock()
		if err != nil {
			return qemu.Proof{}, err
		}
		return s.prove(ctx, image, a, fresh)
	}
	return all, nil
}

// script changes how versions boot.
func (s *packWorld) script(change func(boots map[string]error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.boots)
}

// publish has the channel offer a version.
func (s *packWorld) publish(version string) {
	s.t.Helper()
	r, err := repo.Open(s.repo, repo.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	add := func(p *packtest.Pack) channel.Target {
		f, err := os.Open(p.File)
		if err != nil {
			s.t.Fatal(err)
		}
		defer f.Close()
		h, err := pack.ReadHead(s.t.Context(), f, p.Keys, spec.Policy{})
		if err != nil {
			s.t.Fatal(err)
		}
		t, err := r.AddArchive(p.File, p.Manifest.ArchiveName(), h.Length, h.Digest)
		if err != nil {
			s.t.Fatal(err)
		}
		return t
	}
	rel := channel.Release{Version: version, Archive: add(s.packs[version]), Notes: "news"}
	if media := s.addOns[version]; media != nil {
		rel.AddOns = map[string]channel.Target{"media": add(media)}
	}
	err = r.AddRelease(runtimepack.ChannelName, runtime.GOOS+"-"+runtime.GOARCH, rel)
	if err == nil {
		err = r.Publish(s.key)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *packWorld) install(c *Controller, p *packtest.Pack) runtimepack.Info {
	s.t.Helper()
	info, err := c.InstallPack(s.t.Context(), p.File, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return info
}

// update runs an update to its end.
func (s *packWorld) update(c *Controller, r updater.Request) updater.State {
	s.t.Helper()
	if _, err := c.StartUpdate(s.t.Context(), r); err != nil {
		s.t.Fatal(err)
	}
	limit := time.Now().Add(2 * time.Minute)
	if s.real {
		limit = limit.Add(10 * time.Minute)
	}
	for {
		u, err := c.Update(s.t.Context())
		if err != nil || time.Now().After(limit) {
			s.t.Fatalf("%+v, %v", u, err)
		}
		switch u.Phase {
		case updater.PhaseChecking, updater.PhaseDownloading, updater.PhaseInstalling, updater.PhaseTrying, updater.PhaseAvailable:
			time.Sleep(5 * time.Millisecond)
		default:
			return u
		}
	}
}

// versions are the installed runtimes in short: "1.1.0 current, 1.0.0 previous".
func (s *packWorld) versions(c *Controller) string {
	s.t.Helper()
	list, err := c.Packs(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, p := range list {
		v := p.Version
		for name, is := range map[string]bool{" current": p.Current, " previous": p.Previous, " candidate": p.Candidate} {
			if is {
				v += name
			}
		}
		if p.Failed {
			v += " failed"
		}
		if p.InUse {
			v += " in use"
		}
		if p.Withdrawn {
			v += " withdrawn"
		}
		if p.Kind != runtimepack.KindRuntime || !p.Installed {
			s.t.Errorf("%+v", p)
		}
		out = append(out, v)
	}
	return strings.Join(out, ", ")
}

func (s *packWorld) wantVersions(c *Controller, want string) {
	s.t.Helper()
	if got := s.versions(c); got != want {
		s.t.Errorf("installed: %s; want %s", got, want)
	}
}

// spoil changes a byte of a file of an installed version.
func (s *packWorld) spoil(c *Controller, version, name string) {
	s.t.Helper()
	file := filepath.Join(c.o.DataDir, runtimepack.PacksDir, version, filepath.FromSlash(name))
	data, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}
