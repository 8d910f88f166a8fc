//go:build !windows

package app

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/update"
	"piwork/scripts/lib/tier"
)

// releaseLine is everything between those who make a release and the computer of a
// person: the keys of a ceremony, its channel on a server, and a program in which
// its root is compiled in. Only the machine is scripted.
type releaseLine struct {
	*packWorld
	t      *testing.T
	tool   string // scripts/lib/release, built
	dir    string // of the channel
	safe   string // keys
	built  fstest.MapFS
	cut    atomic.Bool  // the next archive stops in the middle
	served atomic.Int64 // bytes of archives
	server *httptest.Server
}

func newReleaseLine(t *testing.T) *releaseLine {
	t.Helper()
	work := t.TempDir()
	l := &releaseLine{
		packWorld: &packWorld{world: newWorld(t), t: t, boots: map[string]error{}, packs: map[string]*packtest.Pack{}}, t: t,
		tool: filepath.Join(work, "release"), dir: filepath.Join(work, "channel"), safe: filepath.Join(work, "safe"),
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", l.tool, "piwork/scripts/lib/release")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := http.FileServer(http.Dir(l.dir))
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/targets/packs/") {
			w = &cutting{ResponseWriter: w, l: l}
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(l.server.Close)
	keys := filepath.Join(work, "keys")
	if err := os.Mkdir(keys, 0o700); err != nil {
		t.Fatal(err)
	}
	l.release("ceremony", l.dir, "--out", l.safe, "--into", keys, "--url", l.server.URL)
	l.built = fstest.MapFS{}
	for _, name := range []string{"root.json", trust.ChannelAddressFile} {
		data, err := os.ReadFile(filepath.Join(keys, name))
		if err != nil {
			t.Fatal(err)
		}
		l.built["keys/"+name] = &fstest.MapFile{Data: data}
	}
	return l
}

// cutting ends the connection in the middle of an archive, once.
type cutting struct {
	http.ResponseWriter
	l *releaseLine
}

func (c *cutting) Write(p []byte) (int, error) {
	if c.l.cut.Load() && len(p) > 1000 {
		c.l.cut.Store(false)
		n, _ := c.ResponseWriter.Write(p[:len(p)/2])
		c.l.served.Add(int64(n))
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	n, err := c.ResponseWriter.Write(p)
	c.l.served.Add(int64(n))
	return n, err
}

// release runs ./scripts/release.
func (l *releaseLine) release(args ...string) {
	l.t.Helper()
	if out, err := exec.CommandContext(l.t.Context(), l.tool, args...).CombinedOutput(); err != nil {
		l.t.Fatalf("release %q: %v\n%s", args, err, out)
	}
}

// publish makes a pack with the key of the ceremony and offers it.
func (l *releaseLine) publish(version string) {
	l.t.Helper()
	sign, err := trust.LoadSigner(filepath.Join(l.safe, "maker", "pack.key"), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	public, err := sign.PublicKey()
	if err != nil {
		l.t.Fatal(err)
	}
	key, err := trust.NewKey("pack", trust.Release, public)
	if err != nil {
		l.t.Fatal(err)
	}
	files := packtest.Files()
	files["guest/vmlinux"] = packtest.Random("kernel", 400_000)
	files["tools.json"] = `{"of": "` + version + `"}`
	l.packs[version] = packtest.New(l.t, packtest.Options{Version: version, Signer: &packtest.Signer{Sign: sign, Key: key}, Verity: true, Files: files})
	keys := filepath.Join(l.safe, "maker") + string(filepath.ListSeparator) + filepath.Join(l.safe, "online")
	l.release("add", l.dir, l.packs[version].File, "--keys", keys)
}

// program starts the released program.
func (l *releaseLine) program() *Controller {
	l.t.Helper()
	o := l.world.options()
	o.Developer, o.built = false, l.built
	return l.openAt(o, nil)
}

// chore makes a PDF of pictures.
func (l *releaseLine) chore(c *Controller, dir string) task.Task {
	l.t.Helper()
	wait := l.listen(c)
	id := l.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: dir}}}).ID
	wait(id, task.StateWaiting)
	if _, err := c.AcceptPlan(l.t.Context(), id); err != nil {
		l.t.Fatal(err)
	}
	return wait(id, task.StateDone)
}

// TestRelease walks the whole line with a root made for it: a ceremony, a channel on
// a server, a released program on an empty disk, a download that is cut and goes on,
// a chore, undo, a newer pack, and back.
func TestRelease(t *testing.T) {
	tier.Unraced(t)
	l := newReleaseLine(t)
	l.publish("1.0.0")
	own := packtest.NewSigner(t) // a developer of this computer
	if err := trust.AddDeveloperKey(filepath.Join(l.world.options().ConfigDir, trust.DeveloperFile), own.Key); err != nil {
		t.Fatal(err)
	}
	c := l.program()
	if list, err := c.Packs(t.Context()); err != nil || len(list) != 0 {
		t.Fatalf("not an empty disk: %+v, %v", list, err)
	}
	if _, err := c.InstallPack(t.Context(), packtest.New(t, packtest.Options{Signer: own}).File, nil); codeOf(err) != problem.CodePackInvalid {
		t.Errorf("a release trusts this computer's own key: %v", err)
	}

	l.cut.Store(true)
	if u := l.update(c, updater.Request{}); u.Phase != updater.PhaseUpToDate || u.Current != "1.0.0" || u.Problem != nil {
		t.Fatalf("%+v %+v", u, u.Problem)
	}
	info, err := os.Stat(l.packs["1.0.0"].File)
	if err != nil {
		t.Fatal(err)
	}
	if l.cut.Load() {
		t.Error("the download was not cut")
	}
	if n, most := l.served.Load(), info.Size()*3/2; n > most {
		t.Errorf("%d bytes were served of an archive of %d: it began anew after the cut", n, info.Size())
	}
	list, err := c.Packs(t.Context())
	if err != nil || len(list) != 1 || list[0].Developer || !strings.HasPrefix(list[0].SignedBy, "release-") {
		t.Fatalf("%+v, %v", list, err)
	}
	in, err := c.s.packs.(*runtimepack.Store).Installed(t.Context())
	if err == nil {
		err = in.Verify(t.Context(), pack.LevelFull)
	}
	if err != nil {
		t.Fatalf("what was downloaded: %v", err)
	}

	dir := l.pictures("1.png", "2.png")
	names := func() (out []string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	before := names()
	done := l.chore(c, dir)
	if got := names(); done.Pack != "1.0.0" || len(got) != len(before)+1 {
		t.Errorf("the chore left %q, on %s", got, done.Pack)
	}
	if _, err := c.Undo(t.Context(), done.ID, history.UndoRequest{}); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, before) {
		t.Errorf("after undo: %q, want %q", got, before)
	}

	l.publish("1.1.0")
	l.served.Store(0)
	if u := l.update(c, updater.Request{}); u.Phase != updater.PhaseUpToDate || u.Current != "1.1.0" {
		t.Fatalf("%+v %+v", u, u.Problem)
	}
	if n := l.served.Load(); n > info.Size()/2 {
		t.Errorf("an update of one small file fetched %d bytes", n)
	}
	l.wantVersions(c, "1.1.0 current, 1.0.0 previous")
	if done := l.chore(c, dir); done.Pack != "1.1.0" {
		t.Errorf("the next chore ran on %s", done.Pack)
	}
	if back, err := c.RollbackPack(t.Context()); err != nil || back.Version != "1.0.0" || !back.Current {
		t.Errorf("%+v, %v", back, err)
	}
	l.wantVersions(c, "1.1.0 previous, 1.0.0 current")
	l.close(c)

	// Withdrawn: nobody goes back to it.
	c = l.program()
	if back, err := c.RollbackPack(t.Context()); err != nil || back.Version != "1.1.0" {
		t.Errorf("%+v, %v", back, err)
	}
	holders := []string{"holder-1", "holder-2", "online"}
	for i, h := range holders {
		holders[i] = filepath.Join(l.safe, h)
	}
	l.release("withdraw", l.dir, "1.0.0", "--reason", "it loses files", "--keys", strings.Join(holders, string(filepath.ListSeparator)))
	if _, err := c.CheckUpdate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.RollbackPack(t.Context()); codeOf(err) != problem.CodePackInvalid {
		t.Errorf("back to a withdrawn version: %v", err)
	}
	if _, err := c.InstallPack(t.Context(), l.packs["1.0.0"].File, nil); codeOf(err) != problem.CodePackInvalid {
		t.Errorf("installed a withdrawn version: %v", err)
	}
	l.wantVersions(c, "1.1.0 current, 1.0.0 previous withdrawn")
}

// TestReleaseOffline: a released program that was never online installs the bundle of its
// release. The keys of its packs come in that bundle.
func TestReleaseOffline(t *testing.T) {
	tier.Unraced(t)
	l := newReleaseLine(t)
	l.publish("1.0.0")
	out := filepath.Join(t.TempDir(), "bundle.tar")
	program := filepath.Join(t.TempDir(), "piwork")
	if err := os.WriteFile(program, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := l.packs["1.0.0"].Manifest
	l.release("bundle", l.dir, in.HostOS+"-"+in.HostArch, "--app", program, "--out", out, "--key", filepath.Join(l.safe, "maker", "pack.key"))
	l.server.Close()
	c := l.program()
	store := c.s.packs.(*runtimepack.Store)
	if found, err := update.File(t.Context(), out, &trust.KeyRing{}, spec.Policy{}); err != nil || found.Kind != update.KindBundle || found.Version != "1.0.0" {
		t.Errorf("found %+v, %v", found, err)
	}
	if info, err := store.VerifyFile(t.Context(), out); err != nil || info.SignedBy == "" {
		t.Errorf("verified: %+v, %v", info, err)
	}
	if _, err := c.InstallPack(t.Context(), out, nil); err != nil {
		t.Fatal(err)
	}
	l.wantVersions(c, "1.0.0 current")
}
