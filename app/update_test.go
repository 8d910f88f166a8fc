package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sigstore/sigstore/pkg/cryptoutils"

	"piwork/app/chore/choretest"
	"piwork/app/problem"
	"piwork/app/runtimepack"
	"piwork/app/runtimepack/updater"
	"piwork/app/settings"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust/channel"
	"piwork/pack/trust/channel/repo"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/qemu"
	"piwork/vmhost/wire"
)

// TestUpdateFromAChannel is the whole way: a signed channel on a server, a signed
// pack, the store, a proof boot, tasks.
func TestUpdateFromAChannel(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	s.publish("1.1.0")
	u, err := c.CheckUpdate(t.Context())
	if err != nil || u.Phase != updater.PhaseAvailable || u.Version != "1.1.0" || u.Current != "1.0.0" || u.Notes != "news" || u.Channel != "stable" || u.ETA != -1 {
		t.Fatalf("%+v, %v", u, err)
	}
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	if u = s.update(c, updater.Request{AddOns: []string{"media"}}); u.Phase != updater.PhaseUpToDate || u.Problem != nil || u.Current != "1.1.0" {
		t.Fatalf("%+v %+v", u, u.Problem)
	}
	s.wantVersions(c, "1.1.0 current, 1.0.0 previous")
	if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready || rep.Pack.Version != "1.1.0" {
		t.Errorf("%+v, %v", rep, err)
	}
	list, err := c.AddOns(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "media" || !list[0].Installed || !list[0].Usable || list[0].Download == 0 || list[0].Bytes == 0 {
		t.Errorf("%+v, %v", list, err)
	}
	// What the two have in common is not fetched.
	if u.Reused < 150_000 || u.Total > 150_000 || u.Done != u.Total {
		t.Errorf("fetched %d of %d, %d were there", u.Done, u.Total, u.Reused)
	}
	var phases []updater.Phase
	told := func(e task.Event) {
		if d, ok := e.Data.(updater.State); ok && e.Kind == task.EventUpdate && (len(phases) == 0 || phases[len(phases)-1] != d.Phase) {
			phases = append(phases, d.Phase)
		}
	}
	for limit := time.After(time.Minute); len(phases) == 0 || phases[len(phases)-1] != updater.PhaseUpToDate; {
		select {
		case e, open := <-events:
			if !open {
				t.Fatalf("cut off, told of %v", phases)
			}
			told(e)
		case <-limit:
			t.Fatalf("told of %v", phases)
		}
	}

	// A machine gets the add-on, and nobody removes it meanwhile.
	release := make(chan struct{})
	tried := len(s.all())
	s.onMachine = func(rt *choretest.Runtime) error {
		rt.OnClose = func(context.Context) error { <-release; return nil }
		return nil
	}
	wait := s.listen(c)
	id := s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, MachineChoice: tasks.MachineChoice{Accel: "tcg"}}).ID
	wait(id, task.StateRunning)
	if m := s.all()[tried:]; len(m) != 1 || len(m[0].spec.Image.AddOns) != 1 || m[0].spec.Image.AddOns[0].Name != "media" {
		t.Errorf("%+v", m)
	}
	if err := c.RemoveAddOn(t.Context(), "media"); codeOf(err) != problem.CodePackInUse {
		t.Errorf("removed what a task works with: %v", err)
	}
	close(release)
	wait(id, task.StateDone)
	if err := c.RemoveAddOn(t.Context(), "media"); err != nil {
		t.Error(err)
	}
	if list, err := c.AddOns(t.Context()); err != nil || len(list) != 1 || list[0].Installed || list[0].Usable {
		t.Errorf("%+v, %v", list, err)
	}
	if err := c.RemoveAddOn(t.Context(), "media"); codeOf(err) != problem.CodeAddOnUnknown {
		t.Error(err)
	}
	for _, e := range queued(events) {
		told(e)
	}
	if last := phases[len(phases)-1]; last != updater.PhaseUpToDate { // it stays the last word
		t.Errorf("told of %v", phases)
	}
}

// TestAddOnsFollowTheRuntime: an update brings those that are installed, and a
// rollback uses the ones before.
func TestAddOnsFollowTheRuntime(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0", "1.2.0")
	c := s.open()
	s.publish("1.0.0")
	s.update(c, updater.Request{AddOns: []string{"media"}})
	for _, v := range []string{"1.1.0", "1.2.0"} {
		s.publish(v)
		if u := s.update(c, updater.Request{}); u.Phase != updater.PhaseUpToDate {
			t.Fatalf("%+v", u)
		}
	}
	media := func(want string, usable bool) {
		t.Helper()
		list, err := c.AddOns(t.Context())
		if err != nil || len(list) != 1 || list[0].Version != want || list[0].Usable != usable || (list[0].Problem != nil) == usable {
			t.Errorf("%+v, %v", list, err)
		}
	}
	media("1.2.0", true)
	entries, err := os.ReadDir(filepath.Join(c.o.DataDir, runtimepack.AddOnsDir, "media"))
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "1.0.0" }) {
		t.Errorf("an add-on that fits nothing is kept: %v, %v", entries, err)
	}
	if info, err := c.RollbackPack(t.Context()); err != nil || info.Version != "1.1.0" || !info.Current {
		t.Fatalf("%+v, %v", info, err)
	}
	media("1.1.0", true)
	s.wantVersions(c, "1.2.0 previous, 1.1.0 current")
	// From a file, over a runtime that it does not fit.
	if _, err := c.InstallPack(t.Context(), s.addOns["1.0.0"].File, nil); codeOf(err) != problem.CodeAddOnMismatch {
		t.Errorf("an add-on of another runtime: %v", err)
	}
	media("1.1.0", true)
}

// TestTasksFinishOnTheirVersion: whatever is updated, rolled back and collected
// meanwhile.
func TestTasksFinishOnTheirVersion(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0", "1.2.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	release := make(chan struct{})
	s.onMachine = func(rt *choretest.Runtime) error {
		rt.OnClose = func(context.Context) error { <-release; return nil }
		return nil
	}
	wait := s.listen(c)
	id := s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}, MachineChoice: tasks.MachineChoice{Accel: "tcg"}}).ID
	wait(id, task.StateRunning)
	s.onMachine = nil
	for _, v := range []string{"1.1.0", "1.2.0"} {
		s.install(c, s.packs[v])
	}
	s.wantVersions(c, "1.2.0 current, 1.1.0 previous, 1.0.0 in use")
	if err := c.RemovePack(t.Context(), "1.0.0"); codeOf(err) != problem.CodePackInUse {
		t.Errorf("removed what a task runs on: %v", err)
	}
	if err := c.RemovePack(t.Context(), "1.2.0"); codeOf(err) != problem.CodePackInUse {
		t.Errorf("removed what is in use: %v", err)
	}
	if err := c.RemovePack(t.Context(), "7.0.0"); codeOf(err) != problem.CodeNotFound {
		t.Errorf("removed nothing: %v", err)
	}
	close(release)
	if got := wait(id, task.StateDone); got.Pack != "1.0.0" {
		t.Errorf("%+v", got)
	}
	if err := c.RemovePack(t.Context(), "1.0.0"); err != nil {
		t.Error(err)
	}
	s.wantVersions(c, "1.2.0 current, 1.1.0 previous")
}

// TestTampered: a changed or missing file is a matter for repair, never a boot.
func TestTampered(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	s.publish("1.0.0")
	for _, name := range []string{
		"guest/vmlinux", "guest/initramfs.cpio", "qemu/bin/qemu-system-x86_64", "qemu/lib/libc.so.6", "qemu/share/bios-256k.bin",
		"manifest.json", "manifest.json.sig", "-guest/rootfs.img", "-guest/vmlinux", "-manifest.json",
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.base = t.TempDir()
			s.world.t = t
			s.trusts(s.options())
			c := s.open()
			s.install(c, s.packs["1.0.0"])
			machines := len(s.all())
			if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready {
				t.Fatalf("%+v, %v", rep, err)
			}
			file, missing := strings.CutPrefix(name, "-")
			if missing {
				if err := os.Remove(filepath.Join(c.o.DataDir, runtimepack.PacksDir, "1.0.0", filepath.FromSlash(file))); err != nil {
					t.Fatal(err)
				}
			} else {
				s.spoil(c, "1.0.0", file)
			}
			wait := s.listen(c)
			got := wait(s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID, task.StateFailed)
			if got.Error.Code != problem.CodePackCorrupt || got.Error.Severity != problem.Blocking || got.Error.Fix[0].Code != problem.FixRepairPack {
				t.Errorf("%+v", got.Error)
			}
			rep, err := c.Status(t.Context(), true)
			if err != nil || rep.Ready || rep.Problems[0].Code != problem.CodePackCorrupt {
				t.Errorf("%+v, %v", rep, err)
			}
			if len(s.all()) != machines {
				t.Error("a machine was made from it")
			}
			if info, err := c.RepairPack(t.Context(), ""); err != nil || !info.Current || info.Version != "1.0.0" {
				t.Fatalf("%+v, %v", info, err)
			}
			if rep, err := c.Status(t.Context(), true); err != nil || !rep.Ready {
				t.Errorf("after the repair: %+v, %v", rep, err)
			}
		})
	}
}

// TestTamperedWhileAPersonThinks: the files are read again before the machine that
// carries out an accepted plan.
func TestTamperedWhileAPersonThinks(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	began := time.Now()
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	wait := s.listen(c)
	id := s.start(c, tasks.StartRequest{Kind: task.KindChore, Chore: "pictures-to-pdf", Folders: []task.FolderRequest{{Path: s.pictures("1.png")}}}).ID
	wait(id, task.StateWaiting)
	machines := len(s.all())
	s.spoil(c, "1.0.0", "guest/vmlinux")
	s.ahead.Store(int64(time.Minute - time.Since(began)))
	if _, err := c.AcceptPlan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if got := wait(id, task.StateFailed); got.Error.Code != problem.CodePackCorrupt || len(s.all()) != machines {
		t.Errorf("%+v, %d machines after %d", got.Error, len(s.all()), machines)
	}
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestTakenBackByItself: a promoted runtime stops booting.
func TestTakenBackByItself(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	s.install(c, s.packs["1.1.0"])
	if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready {
		t.Fatalf("%+v, %v", rep, err)
	}
	dead := &qemu.ProofError{Accel: qemu.AccelKVM, Stage: qemu.StageAgent, Err: errors.New("silence")}
	s.script(func(b map[string]error) { b["1.1.0"] = dead })
	// A machine that does not come up is the reason to look again.
	s.onMachine = func(rt *choretest.Runtime) error {
		if s.fails > 0 {
			s.fails--
			rt.OnConnect = func(context.Context) error { return errors.New("no agent") }
		}
		return nil
	}
	s.fails = 1
	wait := s.listen(c)
	req := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	if got := wait(s.start(c, req).ID, task.StateFailed); got.Pack != "1.1.0" {
		t.Errorf("%+v", got)
	}
	if got := wait(s.start(c, req).ID, task.StateDone); got.Pack != "1.0.0" {
		t.Errorf("%+v", got)
	}
	s.wantVersions(c, "1.1.0 failed, 1.0.0 current")
	if u, err := c.Update(t.Context()); err != nil || u.Problem == nil || u.Problem.Code != problem.CodeRolledBack {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := c.RollbackPack(t.Context()); codeOf(err) != problem.CodeNoPrevious {
		t.Errorf("back to what does not boot: %v", err)
	}
	// When the other one does not boot either, it is this computer.
	s.script(func(b map[string]error) { b["1.0.0"] = dead })
	if rep, err := c.Status(t.Context(), true); err != nil || rep.Ready || rep.Pack.Version != "1.0.0" {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestMachinesDoNotComeUp: the kernel of a promoted runtime boots, and its
// machines fail all the same.
func TestMachinesDoNotComeUp(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	s.install(c, s.packs["1.1.0"])
	s.failing.Store("1.1.0")
	events, stop := c.Subscribe(task.EventFilter{})
	defer stop()
	wait := s.listen(c)
	req := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}
	if got := wait(s.start(c, req).ID, task.StateFailed); got.Pack != "1.1.0" {
		t.Errorf("%+v", got)
	}
	for e := range events {
		if u, ok := e.Data.(updater.State); ok && u.Problem != nil && u.Problem.Code == problem.CodeRolledBack {
			break
		}
	}
	s.wantVersions(c, "1.1.0 failed, 1.0.0 current")
	if got := wait(s.start(c, req).ID, task.StateDone); got.Pack != "1.0.0" {
		t.Errorf("%+v", got)
	}
}

// TestTasksBesideASuspect: a version is not judged beside tasks that want the
// processor.
func TestTasksBesideASuspect(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	s.install(c, s.packs["1.1.0"])
	wait := s.listen(c)
	release := make(chan struct{})
	s.onMachine = func(rt *choretest.Runtime) error {
		rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
			<-release
			return wire.ExecResult{}, nil
		}
		return nil
	}
	long := s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"long"}}).ID
	wait(long, task.StateRunning)
	s.onMachine = nil
	s.failing.Store("1.1.0")
	wait(s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID, task.StateFailed)
	made := len(s.all())
	time.Sleep(100 * time.Millisecond)
	if n := len(s.all()); n != made {
		t.Errorf("%d trial machines beside a task", n-made)
	}
	s.wantVersions(c, "1.1.0 current in use, 1.0.0 previous")
	close(release)
	wait(long, task.StateDone)
	for limit := time.Now().Add(time.Minute); s.versions(c) != "1.1.0 failed, 1.0.0 current" && time.Now().Before(limit); {
		time.Sleep(5 * time.Millisecond)
	}
	s.wantVersions(c, "1.1.0 failed, 1.0.0 current")
}

// TestDamagedImage: the guest finds out that the root image is not what was
// signed. That is for a repair, and held against no version.
func TestDamagedImage(t *testing.T) {
	for _, versions := range [][]string{{"1.1.0"}, {"1.0.0", "1.1.0"}} {
		for _, late := range []bool{false, true} {
			t.Run(strings.Join(versions, " "), func(t *testing.T) {
				s := newPackWorld(t, versions...)
				c := s.open()
				for _, v := range versions {
					s.install(c, s.packs[v])
				}
				stands := s.versions(c)
				machines := len(s.all())
				s.spoil(c, "1.1.0", "guest/rootfs.img")
				damage := &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonDamaged, Image: vmhost.BaseImage}
				s.onMachine = func(rt *choretest.Runtime) error {
					if late {
						rt.Exec = func(context.Context, wire.ExecParams, func(wire.ExecOutput)) (wire.ExecResult, error) {
							return wire.ExecResult{}, damage
						}
						return nil
					}
					rt.OnConnect = func(context.Context) error { return damage }
					return nil
				}
				wait := s.listen(c)
				req := tasks.StartRequest{Kind: task.KindExec, Argv: []string{"something"}}
				if got := wait(s.start(c, req).ID, task.StateFailed); got.Error.Code != problem.CodePackCorrupt {
					t.Errorf("%+v", got.Error)
				}
				rep, err := c.Status(t.Context(), false)
				if err != nil || rep.Ready || rep.Problems[0].Code != problem.CodePackCorrupt || rep.Problems[0].Fix[0].Code != problem.FixRepairPack {
					t.Errorf("%+v, %v", rep, err)
				}
				s.onMachine = nil
				if _, err := c.RepairPack(t.Context(), s.packs["1.1.0"].File); err != nil {
					t.Fatal(err)
				}
				s.wantVersions(c, stands)
				req.Argv = []string{"true"}
				if got := wait(s.start(c, req).ID, task.StateDone); got.Pack != "1.1.0" {
					t.Errorf("%+v", got)
				}
				if n := len(s.all()) - machines; n != 2 {
					t.Errorf("%d machines", n)
				}
			})
		}
	}
}

// TestDamagedCandidate: an image that decayed before the first boot is no reason
// to give up a version either.
func TestDamagedCandidate(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	s.onMachine = func(rt *choretest.Runtime) error {
		rt.OnConnect = func(context.Context) error {
			return &vmhost.FailedError{Runtime: "vm", Reason: vmhost.ReasonDamaged, Image: vmhost.BaseImage}
		}
		return nil
	}
	if _, err := c.InstallPack(t.Context(), s.packs["1.1.0"].File, nil); codeOf(err) != problem.CodePackCorrupt {
		t.Errorf("%v", err)
	}
	s.wantVersions(c, "1.1.0 candidate, 1.0.0 current")
}

// TestDoesNotComeUp: a kernel that boots is not enough for a new version.
func TestDoesNotComeUp(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	made := 0
	s.onMachine = func(rt *choretest.Runtime) error {
		if made++; made != 2 { // the second one is of the version in use
			rt.OnConnect = func(context.Context) error { return errors.New("no root") }
		}
		return nil
	}
	if _, err := c.InstallPack(t.Context(), s.packs["1.1.0"].File, nil); codeOf(err) != problem.CodeUpdateNotBooting {
		t.Errorf("%v", err)
	}
	s.wantVersions(c, "1.1.0 failed, 1.0.0 current")
	for _, m := range s.all() {
		if m.Closed() != 1 || len(m.spec.Folders) != 0 || m.spec.ServeFS != nil {
			t.Errorf("a trial machine %+v, closed %d times", m.spec, m.Closed())
		}
	}
	if made != 3 {
		t.Errorf("%d machines", made)
	}
}

// TestBundle: one file, and no network.
func TestBundle(t *testing.T) {
	tier.Unraced(t)
	s := newPackWorld(t, "1.0.0", "1.1.0")
	s.publish("1.0.0")
	c := s.open()
	if _, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: filepath.Join(t.TempDir(), "x.tar")}, nil); codeOf(err) != problem.CodePackMissing {
		t.Errorf("a bundle of nothing: %v", err)
	}
	s.update(c, updater.Request{AddOns: []string{"media"}})
	app := filepath.Join(t.TempDir(), "piwork")
	if err := os.WriteFile(app, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, r := range []runtimepack.BundleRequest{{Out: "relative.tar"}, {Out: filepath.Join(t.TempDir(), "x.tar"), AddOns: []string{"nothing"}}} {
		if _, err := c.BundlePack(t.Context(), r, nil); err == nil {
			t.Errorf("%+v", r)
		}
	}
	var done, total int64
	b, err := c.BundlePack(t.Context(), runtimepack.BundleRequest{Out: t.TempDir(), AddOns: []string{"media"}, App: app}, func(d, n int64) { done, total = d, n })
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Packs) != 2 || b.Packs[0].Kind != runtimepack.KindRuntime || b.Packs[1].Kind != runtimepack.KindAddOn || b.Bytes == 0 || len(b.SHA256) != 64 || done != total || total == 0 {
		t.Errorf("%+v, %d of %d", b, done, total)
	}
	if info, err := c.VerifyPack(t.Context(), b.File); err != nil || info.Kind != runtimepack.KindBundle || info.Version != "1.0.0" {
		t.Errorf("%+v, %v", info, err)
	}
	s.close(c)

	// Another computer, without a network.
	s.server.Close()
	s.base = t.TempDir()
	s.trusts(s.options())
	c = s.openAt(s.options(), []string{"http://127.0.0.1:1"})
	before := s.asked.Load()
	info, err := c.InstallPack(t.Context(), b.File, nil)
	if err != nil || info.Version != "1.0.0" || !info.Current || info.Kind != runtimepack.KindRuntime {
		t.Fatalf("%+v, %v", info, err)
	}
	if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	list, err := c.AddOns(t.Context())
	if err != nil || len(list) != 1 || !list[0].Usable || list[0].Download == 0 { // the channel's metadata came along
		t.Errorf("%+v, %v", list, err)
	}
	if u, err := c.CheckUpdate(t.Context()); err != nil || u.Phase != updater.PhaseOffline || u.Problem == nil {
		t.Errorf("%+v, %v", u, err)
	}
	// A damaged pack is repaired from the bundle.
	s.spoil(c, "1.0.0", "guest/vmlinux")
	if info, err := c.RepairPack(t.Context(), b.File); err != nil || !info.Current {
		t.Errorf("%+v, %v", info, err)
	}
	if s.asked.Load() != before {
		t.Error("the server was asked")
	}
}

// TestRevokedKey: what a revoked key signed is not used any more.
func TestRevokedKey(t *testing.T) {
	s := newPackWorld(t, "1.0.0", "1.1.0")
	c := s.open()
	s.install(c, s.packs["1.0.0"])
	if rep, err := c.Status(t.Context(), false); err != nil || !rep.Ready {
		t.Errorf("%+v, %v", rep, err)
	}
	s.publish("1.1.0")
	r, err := repo.Open(s.repo, repo.Options{})
	if err == nil {
		other := packtest.NewSigner(t)
		pub, perr := other.Sign.PublicKey()
		if perr != nil {
			t.Fatal(perr)
		}
		pem, perr := cryptoutils.MarshalPublicKeyToPEM(pub)
		if perr != nil {
			t.Fatal(perr)
		}
		err = r.SetKeyList(channel.KeyList{
			Signing: []channel.SigningKey{{Name: "next", PEM: string(pem)}},
			Revoked: []channel.RevokedKey{{ID: s.signer.Key.ID, Reason: "stolen"}},
		})
	}
	if err == nil {
		err = r.Publish(s.key)
	}
	if err != nil {
		t.Fatal(err)
	}
	u := s.update(c, updater.Request{})
	if u.Phase != updater.PhaseFailed || u.Problem == nil || u.Problem.Cause != string(spec.KindRevokedKey) || u.Current != "1.0.0" {
		t.Errorf("%+v %+v", u, u.Problem)
	}
	if rep, err := c.Status(t.Context(), false); err != nil || rep.Ready || rep.Problems[0].Code != problem.CodeKeyRevoked {
		t.Errorf("a revoked pack: %+v, %v", rep, err)
	}
	s.close(c)
	c = s.open() // it stays revoked
	if _, err := c.InstallPack(t.Context(), s.packs["1.1.0"].File, nil); codeOf(err) != problem.CodePackInvalid {
		t.Errorf("installed a pack of a revoked key: %v", err)
	}
}

// TestSetUpdates keeps what can be used, and no secret.
func TestSetUpdates(t *testing.T) {
	s := newPackWorld(t, "1.0.0")
	c := s.open()
	good := updater.Settings{URLs: []string{s.server.URL, "https://mirror.example/piwork"}, Proxy: "http://proxy.example:3128"}
	u, err := c.SetUpdates(t.Context(), good)
	if err != nil || !slices.Equal(u.Settings.URLs, good.URLs) || u.Settings.Auto || u.Phase != updater.PhaseIdle {
		t.Fatalf("%+v, %v", u, err)
	}
	for name, bad := range map[string]updater.Settings{
		"proxy with a password":   {Proxy: "http://me:secret@proxy.example:3128"},
		"address with a password": {URLs: []string{"https://me:secret@mirror.example"}},
		"address of nothing":      {URLs: []string{"gopher://mirror.example"}},
		"authorities of nowhere":  {CAFile: filepath.Join(t.TempDir(), "none.pem")},
		"too many addresses":      {URLs: make([]string, runtimepack.MaxURLs+1)},
	} {
		if _, err := c.SetUpdates(t.Context(), bad); codeOf(err) != problem.CodeUpdateSettings {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.close(c)
	data, err := os.ReadFile(filepath.Join(c.o.ConfigDir, settings.ConfigName))
	if err != nil || strings.Contains(string(data), "secret") {
		t.Errorf("%s, %v", data, err)
	}
	c, err = open(t.Context(), s.options(), s.seams)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close(c)
	if u, err := c.Update(t.Context()); err != nil || !slices.Equal(u.Settings.URLs, good.URLs) || u.Settings.Proxy != good.Proxy || u.Settings.Auto {
		t.Errorf("%+v, %v", u, err)
	}
	// It looks by itself at once, and finds nowhere to look.
	if u, err := c.SetUpdates(t.Context(), updater.Settings{Auto: true}); err != nil || u.Phase != updater.PhaseOff && u.Phase != updater.PhaseChecking || u.Settings.URLs == nil || !u.Settings.Auto {
		t.Errorf("without an address: %+v, %v", u, err)
	}
	if _, err := c.StartUpdate(t.Context(), updater.Request{}); codeOf(err) != problem.CodeUpdateOff {
		t.Error(err)
	}
}
