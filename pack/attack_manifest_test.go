package pack

import (
	"archive/tar"
	"bytes"
	"testing"

	"piwork/pack/spec"
)

// TestHostileManifests: signed by a trusted key, and still refused, because a
// mistake of the one who builds must not reach a person's disk.
func TestHostileManifests(t *testing.T) {
	f := newForger(t)
	rename := func(name string) func(*forged) {
		return func(a *forged) {
			a.m.Files[0].Path, a.entries[0].h.Name = name, name
			if len(name) > 255 {
				a.entries[0].h.Format = tar.FormatPAX
			}
		}
	}
	for _, tc := range []struct {
		name  string
		forge func(a *forged)
		kind  spec.Kind
	}{
		{"absolute name", rename("/etc/x"), spec.KindUnsafeName},
		{"dot dot", rename("../x"), spec.KindUnsafeName},
		{"drive", rename("C:x"), spec.KindUnsafeName},
		{"device of Windows", rename("guest/COM1.img"), spec.KindUnsafeName},
		{"case collision", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest/A", "1")
			a.add("guest/a", "2")
		}, spec.KindUnsafeName},
		{"case collision of directories", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest/A/a", "1")
			a.add("guest/a/b", "2")
		}, spec.KindUnsafeName},
		{"file and directory", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest", "1")
			a.add("guest/b", "2")
		}, spec.KindUnsafeName},
		{"the same name twice", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("guest/a", "1")
			a.add("guest/a", "1")
		}, spec.KindDuplicateFile},
		{"names the manifest", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add(spec.ManifestName, "1")
		}, spec.KindDuplicateFile},
		{"names the manifest in capitals", func(a *forged) {
			a.m.Files, a.entries = nil, nil
			a.add("MANIFEST.json", "1")
		}, spec.KindUnsafeName},
		{"negative size", func(a *forged) { a.m.Files[0].Size = -1 }, spec.KindBadManifest},
		{"absurd size", func(a *forged) { a.m.Files[0].Size = 1 << 60 }, spec.KindTooLarge},
		{"absurd sum of sizes", func(a *forged) {
			for i := range a.m.Files {
				a.m.Files[i].Size = spec.MaxFileSize
			}
		}, spec.KindTooLarge},
		{"setuid", func(a *forged) { a.m.Files[0].Mode = 0o4755 }, spec.KindBadManifest},
		{"no files", func(a *forged) { a.m.Files, a.entries = nil, nil }, spec.KindBadManifest},
		{"a version that is a path", func(a *forged) { a.m.Version = "../../x" }, spec.KindBadManifest},
		{"a version that is hidden", func(a *forged) { a.m.Version = ".staging-1" }, spec.KindBadManifest},
		{"another schema", func(a *forged) { a.m.Schema = 2 }, spec.KindUnknownSchema},
		{"not JSON", func(a *forged) { a.raw = []byte("hello") }, spec.KindBadManifest},
		{"deep JSON", func(a *forged) { a.raw = bytes.Repeat([]byte("["), 1<<20) }, spec.KindBadManifest},
		{"another system", func(a *forged) { a.m.HostOS = "plan9" }, spec.KindWrongPlatform},
		{"another processor", func(a *forged) { a.m.HostArch = "s390x" }, spec.KindWrongPlatform},
		{"a newer program", func(a *forged) { a.m.RequiresApp = ">=2.0.0" }, spec.KindWrongAppVersion},
		{"an older program", func(a *forged) { a.m.RequiresApp = "<1.0.0" }, spec.KindWrongAppVersion},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := f.plain()
			tc.forge(a)
			f.refused(t, f.archive(a), spec.Policy{AppVersion: "1.5.0"}, tc.kind)
		})
	}
}
