package pack_test

import (
	"slices"
	"strings"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
)

// TestAddOns: an add-on installs on every host, and fits over the very base that
// it was made over.
func TestAddOns(t *testing.T) {
	base := packtest.New(t, packtest.Options{Verity: true})
	addOn := packtest.NewAddOn(t, "media", base)
	if want := "piwork-addon-media-x86_64-1.0.0.tar.zst"; addOn.Manifest.ArchiveName() != want {
		t.Errorf("is called %s, want %s", addOn.Manifest.ArchiveName(), want)
	}
	if name, ok := addOn.Manifest.AddOn(); name != "media" || !ok {
		t.Errorf("add-on %q, %v", name, ok)
	}
	if name, ok := base.Manifest.AddOn(); name != "" || ok {
		t.Errorf("the base is the add-on %q", name)
	}
	for _, policy := range []pack.Policy{{}, {HostOS: "windows"}, {HostOS: "plan9", HostArch: "mips"}} {
		if _, _, err := pack.VerifyFile(t.Context(), addOn.File, addOn.Keys, pack.VerifyOptions{Policy: policy}); err != nil {
			t.Errorf("%+v: %v", policy, err)
		}
	}
	other := packtest.New(t, packtest.Options{Version: "1.1.0", Verity: true})
	plain := packtest.New(t, packtest.Options{})
	otherGuest := base.Manifest
	otherGuest.GuestArch = "aarch64"
	for _, tc := range []struct {
		name      string
		over, run *pack.Manifest
		fits      bool
	}{
		{"its base", &addOn.Manifest, &base.Manifest, true},
		{"another base", &addOn.Manifest, &other.Manifest, false},
		{"a base without a hash tree", &addOn.Manifest, &plain.Manifest, false},
		{"a base for another guest", &addOn.Manifest, &otherGuest, false},
		{"an add-on", &addOn.Manifest, &addOn.Manifest, false},
		{"a base over a base", &base.Manifest, &base.Manifest, false},
	} {
		if got := tc.over.FitsOver(tc.run); got != tc.fits {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

// TestHostileAddOns: a signed manifest that is half an add-on is none.
func TestHostileAddOns(t *testing.T) {
	base := packtest.New(t, packtest.Options{Verity: true})
	good := packtest.NewAddOn(t, "media", base).Manifest
	if _, err := good.Encode(); err != nil {
		t.Fatal(err)
	}
	for name, harm := range map[string]func(m *pack.Manifest){
		"for one host":                func(m *pack.Manifest) { m.HostOS, m.HostArch = "linux", "amd64" },
		"for one processor":           func(m *pack.Manifest) { m.HostArch = "amd64" },
		"a runtime for any host":      func(m *pack.Manifest) { m.Name = "piwork-runtime" },
		"without a name":              func(m *pack.Manifest) { m.Name = pack.AddOnPrefix },
		"of a strange name":           func(m *pack.Manifest) { m.Name = pack.AddOnPrefix + "-x" },
		"that calls itself base":      func(m *pack.Manifest) { m.Name, m.Layers[0].Name = pack.AddOnPrefix+"base", "base" },
		"without a layer":             func(m *pack.Manifest) { m.Layers = nil },
		"with a layer more":           func(m *pack.Manifest) { l := m.Layers[0]; l.Name = "more"; m.Layers = append(m.Layers, l) },
		"with the layer of another":   func(m *pack.Manifest) { m.Layers[0].Name = "office" },
		"over nothing":                func(m *pack.Manifest) { m.Layers[0].Base = "" },
		"over what is no hash":        func(m *pack.Manifest) { m.Layers[0].Base = "base" },
		"without a hash tree":         func(m *pack.Manifest) { m.Layers[0].Verity = nil },
		"with a tree and no data":     func(m *pack.Manifest) { m.Layers[0].Verity.DataBlocks = 0 },
		"with data and no tree":       func(m *pack.Manifest) { m.Layers[0].Verity.DataBlocks = 5 },
		"with a strange root hash":    func(m *pack.Manifest) { m.Layers[0].Verity.RootHash = "x" },
		"with a long salt":            func(m *pack.Manifest) { m.Layers[0].Verity.Salt = strings.Repeat("00", 33) },
		"whose layer is its licence":  func(m *pack.Manifest) { m.Layers[0].Path = "licenses/media/copyright" },
		"whose image is no layer":     func(m *pack.Manifest) { role(m, "guest/media.img", pack.RoleRootFS) },
		"with a program for the host": func(m *pack.Manifest) { role(m, "tools.json", pack.RoleQEMU) },
		"with a kernel":               func(m *pack.Manifest) { role(m, "tools.json", pack.RoleKernel) },
		"with something unknown":      func(m *pack.Manifest) { role(m, "tools.json", "surprise") },
		"with a second image":         func(m *pack.Manifest) { role(m, "tools.json", pack.RoleLayer) },
	} {
		m := good
		m.Files, m.Layers = slices.Clone(good.Files), slices.Clone(good.Layers)
		v := *m.Layers[0].Verity
		m.Layers[0].Verity = &v
		harm(&m)
		if _, err := m.Encode(); pack.KindOf(err) != pack.KindBadManifest {
			t.Errorf("%s: got %v", name, err)
		}
	}
	m := base.Manifest
	m.Layers = slices.Clone(m.Layers)
	m.Layers[0].Base = m.Layers[0].Verity.RootHash
	if _, err := m.Encode(); pack.KindOf(err) != pack.KindBadManifest {
		t.Errorf("a runtime over a base: %v", err)
	}
}

func role(m *pack.Manifest, path string, r pack.Role) {
	for i := range m.Files {
		if m.Files[i].Path == path {
			m.Files[i].Role = r
		}
	}
}
