//go:build vm

package app

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"piwork/app/problem"
	"piwork/app/runtimepack/updater"
	"piwork/app/task"
	"piwork/app/tasks"
	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/scripts/lib/tier"
)

// TestUpdateBootsForReal: versions made of the pack that PIWORK_RUNTIME_DIR names
// come from a channel, and boot in slow mode. One that cannot boot is left alone.
func TestUpdateBootsForReal(t *testing.T) {
	tier.Rest(t, "")
	from := os.Getenv(EnvRuntimeDir)
	if from == "" {
		t.Fatalf("%s does not name an unpacked runtime pack", EnvRuntimeDir)
	}
	s := newPackWorld(t)
	s.real = true
	s.remake(from, "1.0.0", nil)
	s.remake(from, "1.1.0", nil)
	s.remake(from, "1.2.0", func(dir string) {
		// A kernel without anything to run: the archive is sound, the boot is not.
		name := filepath.Join(dir, "guest", "initramfs.cpio")
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, bytes.Repeat([]byte("no cpio "), 1<<16), 0o644); err != nil {
			t.Fatal(err)
		}
	})
	o := s.options()
	o.Accel = "tcg"
	c := s.openAt(o, []string{s.server.URL})
	s.install(c, s.packs["1.0.0"])
	for _, tc := range []struct {
		version string
		phase   updater.Phase
		code    string
		want    string
	}{
		{"1.1.0", updater.PhaseUpToDate, "", "1.1.0 current, 1.0.0 previous"},
		{"1.2.0", updater.PhaseFailed, problem.CodeUpdateNotBooting, "1.2.0 failed, 1.1.0 current, 1.0.0 previous"},
	} {
		s.publish(tc.version)
		u := s.update(c, updater.Request{})
		code := ""
		if u.Problem != nil {
			code = u.Problem.Code
		}
		if u.Phase != tc.phase || code != tc.code {
			t.Errorf("%s: %+v %+v", tc.version, u, u.Problem)
		}
		s.wantVersions(c, tc.want)
		t.Logf("%s: %s, fetched %d bytes, %d were there", tc.version, u.Phase, u.Done, u.Reused)
	}
	if got := ended(t, c, s.start(c, tasks.StartRequest{Kind: task.KindExec, Argv: []string{"true"}}).ID); got.State != task.StateDone || got.Pack != "1.1.0" {
		t.Errorf("%+v", got)
	}
}

// remake makes a version out of an unpacked pack, changed by change.
func (s *packWorld) remake(from, version string, change func(dir string)) {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), "pack")
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case rel == spec.ManifestName || rel == spec.SignatureName || rel == spec.ChunksName:
			return nil
		default:
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return os.WriteFile(to, data, info.Mode().Perm())
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(from, spec.ManifestName))
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := spec.ParseManifest(raw)
	if err != nil {
		s.t.Fatal(err)
	}
	if change != nil {
		change(dir)
	}
	m.Version, m.Files, m.Key, m.RequiresApp = version, nil, "", ""
	p := &packtest.Pack{Dir: dir, File: filepath.Join(s.t.TempDir(), m.ArchiveName()), Signer: s.signer}
	p.Manifest, err = pack.Build(s.t.Context(), pack.BuildOptions{Dir: dir, Header: *m, Signer: s.signer.Sign, Out: p.File, Level: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	if p.Keys, err = trust.NewKeyRing(s.signer.Key); err != nil {
		s.t.Fatal(err)
	}
	s.packs[version] = p
}
