package updater

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// TestRollback goes back and forth, and not to what is damaged.
func TestRollback(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		k := r.open()
		defer k.Close()
		if _, err := k.Rollback(t.Context()); codeOf(err) != problem.CodeNoPrevious {
			t.Errorf("back to nothing: %v", err)
		}
		if _, err := k.Install(t.Context(), s.packs["1.1.0"].File, nil); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"1.0<1.1.0? idle", "1.1.0<1.0? idle"} {
			if in, err := k.Rollback(t.Context()); err != nil || in == nil {
				t.Fatal(err)
			}
			r.wantStands(want)
		}
		spoil(t, r.store(), "1.0.0", "guest/vmlinux")
		if _, err := k.Rollback(t.Context()); codeOf(err) != problem.CodeNoPrevious || problem.From(err).Cause != "damaged" {
			t.Errorf("back to a damaged version: %v", err)
		}
		r.wantStands("1.1.0<1.0? idle")
		if err := os.RemoveAll(filepath.Join(r.store().Dir(), "1.0.0")); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Rollback(t.Context()); codeOf(err) != problem.CodeNoPrevious || problem.From(err).Cause != "gone" {
			t.Errorf("back to a version that somebody deleted: %v", err)
		}
	})
}

// TestRefusedVersionIsNotUsed has a version that may not be used neither tried nor left for the next
// start, in whichever way it comes.
func TestRefusedVersionIsNotUsed(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0", "1.1.0")
		no, asked := errors.New("it is not yours"), []string{}
		r.mayUse = func(_ context.Context, current, version string) error {
			asked = append(asked, current+" to "+version)
			return no
		}
		k := r.open()
		defer k.Close()
		_, installed := k.Install(t.Context(), s.packs["1.0.0"].File, nil)
		_, repaired := k.Repair(t.Context(), s.packs["1.0.0"].File)
		_, back := k.Rollback(t.Context())
		for how, err := range map[string]error{"installed": installed, "repaired": repaired, "back": back} {
			if !errors.Is(err, no) {
				t.Errorf("%s: %v", how, err)
			}
		}
		r.wantStands("1.1.0<1.0? idle")
		if len(r.proved) > 0 || !slices.Equal(asked, slices.Repeat([]string{"1.1.0 to 1.0.0"}, 3)) {
			t.Errorf("tried %q, asked %q", r.proved, asked)
		}
	})
}

// spoil changes a byte of an installed file.
func spoil(t *testing.T, s *pack.Store, version, name string) {
	t.Helper()
	file := filepath.Join(s.Dir(), version, filepath.FromSlash(name))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestHeal: a version that stops booting goes, if and only if the one before
// still boots.
func TestHeal(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0", "1.2.0", "1.3.0")
	for _, tc := range []struct {
		name      string
		installed []string
		script    func(r *rig)
		healed    bool
		want      string
	}{
		{name: "the one before works", installed: []string{"1.0.0", "1.1.0"}, healed: true, want: "1.0<? failed rolled-back"},
		{
			name: "it was the moment", installed: []string{"1.0.0", "1.1.0"}, healed: true, want: "1.1.0<1.0? idle",
			script: func(r *rig) { delete(r.boots, "1.1.0") },
		},
		{
			name: "it was the moment, as a second boot says", installed: []string{"1.0.0", "1.1.0"}, healed: true, want: "1.1.0<1.0? idle",
			script: func(r *rig) { r.mended = "1.1.0" },
		},
		{
			name: "nothing was found out", installed: []string{"1.0.0", "1.1.0"}, want: "1.1.0<1.0? idle",
			script: func(r *rig) { r.boots["1.1.0"] = errors.New("disk full") },
		},
		{
			name: "damaged", installed: []string{"1.0.0", "1.1.0"}, want: "1.1.0<1.0? idle",
			script: func(r *rig) { spoil(r.t, r.store(), "1.1.0", "guest/vmlinux") },
		},
		{
			name: "a person went back to it from the one that works", installed: []string{"1.1.0", "1.2.0"}, healed: true,
			script: func(r *rig) { r.goBack() }, want: "1.2.0<? failed rolled-back",
		},
		{
			name: "and another one waits for its first boot", installed: []string{"1.1.0", "1.2.0"}, healed: true,
			script: func(r *rig) { r.goBack(); r.hold("1.3.0") }, want: "1.2.0<?1.3.0 failed rolled-back",
		},
		{name: "no one before", installed: []string{"1.1.0"}, want: "1.1.0<? idle"},
		{name: "nothing at all", want: "<? idle"},
		{
			name: "neither boots", installed: []string{"1.0.0", "1.1.0"}, want: "1.1.0<1.0? idle",
			script: func(r *rig) { r.boots["1.0.0"] = doesNotBoot() },
		},
		{
			name: "the one before is damaged", installed: []string{"1.0.0", "1.1.0"}, want: "1.1.0<1.0? idle",
			script: func(r *rig) { spoil(r.t, r.store(), "1.0.0", "guest/initramfs.cpio") },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, s, tc.installed...)
				r.boots["1.1.0"] = doesNotBoot()
				r.offer("1.1.0")
				if tc.script != nil {
					tc.script(r)
				}
				k := r.open()
				defer func() { r.k.Close() }()
				healed, err := k.Heal(t.Context())
				if healed != tc.healed || err != nil {
					t.Errorf("healed %v, %v", healed, err)
				}
				r.wantStands(tc.want)
				r.reopenSame()
				if p, err := r.store().Pointer(); err != nil || p.Current != "1.0.0" || !healed {
					return
				}
				// What failed is not updated to again by itself.
				r.script(func() { r.auto = true })
				k = r.open()
				k.Run()
				time.Sleep(30 * time.Hour)
				r.settle()
				r.wantStands("1.0<? failed version-failed")
			})
		})
	}
}

// TestRepair brings back what was signed, from wherever it is to be had.
func TestRepair(t *testing.T) {
	s := newShelf(t, "0.9.0", "1.0.0", "1.1.0")
	for _, tc := range []struct {
		name    string
		file    string
		beside  string
		offered string
		script  func(r *rig)
		want    string
		code    string
		fetched int
	}{
		{name: "from a file", file: "1.0.0", want: "1.0<? idle"},
		{name: "from a file of another version", file: "1.1.0", want: "1.1.0<1.0? idle"},
		{name: "from a bundle beside the program", beside: "1.0.0", want: "1.0<? idle"},
		{name: "the bundle beside the program is an older one, the channel knows", beside: "0.9.0", offered: "1.0.0", want: "1.0<? up-to-date", fetched: 10},
		{
			name: "the bundle beside the program is an older one, and all there is", beside: "0.9.0", want: "0.9.0<1.0? idle",
			script: func(r *rig) { r.failing = problem.New(problem.CodeUpdateOffline) },
		},
		{name: "from the channel", offered: "1.0.0", want: "1.0<? up-to-date", fetched: 10},
		{name: "from the channel, which has a newer one", offered: "1.1.0", want: "1.1.0<1.0? up-to-date", fetched: 10},
		{name: "the channel has older ones only", offered: "0.9.0", want: "1.0<? up-to-date", code: problem.CodeNotFound},
		{name: "no channel", script: func(r *rig) { r.off = true }, want: "1.0<? off", code: problem.CodeUpdateOff},
		{
			name: "no network", script: func(r *rig) { r.failing = problem.New(problem.CodeUpdateOffline) },
			want: "1.0<? idle", code: problem.CodeUpdateOffline,
		},
		{name: "a file that is no pack", file: "none", want: "1.0<? idle", code: problem.CodePackInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, s, "1.0.0")
				spoil(t, r.store(), "1.0.0", "guest/rootfs.img")
				r.boots["1.0.0"] = doesNotBoot() // a damaged one would not, and is no reason
				r.offer(tc.offered)
				file := func(v string) string {
					if v == "" {
						return ""
					}
					if p := s.packs[v]; p != nil {
						return p.File
					}
					name := filepath.Join(t.TempDir(), "none")
					if err := os.WriteFile(name, []byte("none"), 0o600); err != nil {
						t.Fatal(err)
					}
					return name
				}
				r.beside, r.besideIs = file(tc.beside), tc.beside
				if tc.script != nil {
					tc.script(r)
				}
				k := r.open()
				defer k.Close()
				in, err := k.Repair(t.Context(), file(tc.file))
				if codeOf(err) != tc.code {
					t.Errorf("%v, want %q", err, tc.code)
				}
				r.wantStands(tc.want)
				if err == nil {
					if err := in.Verify(t.Context(), pack.LevelFull); err != nil || r.changes == 0 {
						t.Errorf("repaired: %v, told of %d changes", err, r.changes)
					}
				}
				if len(r.fetched) != tc.fetched {
					t.Errorf("fetched %v", r.fetched)
				}
			})
		})
	}
}

// TestRepairSparesWhatRuns: a repair does not replace the files that a task runs
// on. It says so, and works when the task is over.
func TestRepairSparesWhatRuns(t *testing.T) {
	s := newShelf(t, "1.0.0")
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.offer("1.0.0")
		k := r.open()
		defer k.Close()
		spoil(t, r.store(), "1.0.0", "guest/vmlinux")
		l, err := r.store().Lease(t.Context(), "1.0.0")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"", s.packs["1.0.0"].File} {
			_, err := k.Repair(t.Context(), file)
			if p := problem.From(err); err == nil || p.Code != problem.CodePackInUse || p.Cause != "task" {
				t.Errorf("repaired from %q under a task: %v", file, err)
			}
		}
		if err := l.Release(); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Repair(t.Context(), ""); err != nil {
			t.Error(err)
		}
	})
}

// TestWithdrawn: a version that was withdrawn is neither brought, nor gone back to,
// nor repaired to, by a person or by itself. The one in use goes on.
func TestWithdrawn(t *testing.T) {
	s := newShelf(t, "1.0.0", "1.1.0", "1.2.0")
	wants := func(t *testing.T, what string, err error) {
		t.Helper()
		if spec.KindOf(err) != spec.KindWithdrawn {
			t.Errorf("%s: %v", what, err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0", "1.1.0")
		r.script(func() { r.withdrawn = "1.0.0"; r.boots["1.1.0"] = doesNotBoot() })
		k := r.open()
		defer k.Close()
		_, err := k.Rollback(t.Context())
		wants(t, "rollback", err)
		if again, err := k.Heal(t.Context()); again || err != nil {
			t.Errorf("healed with a withdrawn version: %v, %v", again, err)
		}
		_, err = k.Install(t.Context(), s.packs["1.0.0"].File, nil)
		wants(t, "install", err)
		r.wantStands("1.1.0<1.0? idle")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0", "1.1.0")
		r.script(func() { r.withdrawn = "1.1.0" })
		k := r.open()
		defer k.Close()
		if in, err := k.current(); err != nil || in == nil {
			t.Errorf("what is in use is not usable any more: %v", err)
		}
		spoil(t, r.store(), "1.1.0", "guest/vmlinux")
		r.offer("1.1.0")
		_, err := k.Repair(t.Context(), "")
		wants(t, "repair from the channel", err)
		_, err = k.Repair(t.Context(), s.packs["1.1.0"].File)
		wants(t, "repair from a file", err)
		r.offer("1.2.0")
		if in, err := k.Repair(t.Context(), ""); err != nil || in.Manifest.Version != "1.2.0" {
			t.Errorf("repair with the next version: %+v, %v", in, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, s, "1.0.0")
		r.hold("1.1.0")
		r.script(func() { r.withdrawn = "1.1.0" })
		r.offer("1.1.0")
		k := r.open()
		defer k.Close()
		k.TryCandidate()
		r.settle()
		r.start(Request{})
		r.settle()
		if now := k.State(); now.Current != "1.0.0" || now.Problem == nil || now.Problem.Cause != string(spec.KindWithdrawn) {
			t.Errorf("%+v", now)
		}
	})
}
