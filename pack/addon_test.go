package pack_test

import (
	"slices"
	"strings"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
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
	for _, policy := range []spec.Policy{{}, {HostOS: "windows"}, {HostOS: "plan9", HostArch: "mips"}} {
		if _, err := pack.VerifyFile(t.Context(), addOn.File, addOn.Keys, pack.VerifyOptions{Policy: policy}); err != nil {
			t.Errorf("%+v: %v", policy, err)
		}
	}
	other := packtest.New(t, packtest.Options{Version: "1.1.0", Verity: true})
	plain := packtest.New(t, packtest.Options{})
	otherGuest := base.Manifest
	otherGuest.GuestArch = "aarch64"
	for _, tc := range []struct {
		name      string
		over, run *spec.Manifest
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
	for name, harm := range map[string]func(m *spec.Manifest){
		"for one host":                func(m *spec.Manifest) { m.HostOS, m.HostArch = "linux", "amd64" },
		"for one processor":           func(m *spec.Manifest) { m.HostArch = "amd64" },
		"a runtime for any host":      func(m *spec.Manifest) { m.Name = "piwork-runtime" },
		"without a name":              func(m *spec.Manifest) { m.Name = spec.AddOnPrefix },
		"of a strange name":           func(m *spec.Manifest) { m.Name = spec.AddOnPrefix + "-x" },
		"that calls itself base":      func(m *spec.Manifest) { m.Name, m.Layers[0].Name = spec.AddOnPrefix+"base", "base" },
		"without a layer":             func(m *spec.Manifest) { m.Layers = nil },
		"with a layer more":           func(m *spec.Manifest) { l := m.Layers[0]; l.Name = "more"; m.Layers = append(m.Layers, l) },
		"with the layer of another":   func(m *spec.Manifest) { m.Layers[0].Name = "office" },
		"over nothing":                func(m *spec.Manifest) { m.Layers[0].Base = "" },
		"over what is no hash":        func(m *spec.Manifest) { m.Layers[0].Base = "base" },
		"without a hash tree":         func(m *spec.Manifest) { m.Layers[0].Verity = nil },
		"with a tree and no data":     func(m *spec.Manifest) { m.Layers[0].Verity.DataBlocks = 0 },
		"with data and no tree":       func(m *spec.Manifest) { m.Layers[0].Verity.DataBlocks = 5 },
		"with a strange root hash":    func(m *spec.Manifest) { m.Layers[0].Verity.RootHash = "x" },
		"with a long salt":            func(m *spec.Manifest) { m.Layers[0].Verity.Salt = strings.Repeat("00", 33) },
		"whose layer is its licence":  func(m *spec.Manifest) { m.Layers[0].Path = "licenses/media/copyright" },
		"whose image is no layer":     func(m *spec.Manifest) { role(m, "guest/media.img", spec.RoleRootFS) },
		"with a program for the host": func(m *spec.Manifest) { role(m, "tools.json", spec.RoleQEMU) },
		"with a kernel":               func(m *spec.Manifest) { role(m, "tools.json", spec.RoleKernel) },
		"with something unknown":      func(m *spec.Manifest) { role(m, "tools.json", "surprise") },
		"with a second image":         func(m *spec.Manifest) { role(m, "tools.json", spec.RoleLayer) },
	} {
		m := good
		m.Files, m.Layers = slices.Clone(good.Files), slices.Clone(good.Layers)
		v := *m.Layers[0].Verity
		m.Layers[0].Verity = &v
		harm(&m)
		if _, err := m.Encode(); spec.KindOf(err) != spec.KindBadManifest {
			t.Errorf("%s: got %v", name, err)
		}
	}
	m := base.Manifest
	m.Layers = slices.Clone(m.Layers)
	m.Layers[0].Base = m.Layers[0].Verity.RootHash
	if _, err := m.Encode(); spec.KindOf(err) != spec.KindBadManifest {
		t.Errorf("a runtime over a base: %v", err)
	}
}

func role(m *spec.Manifest, path string, r spec.Role) {
	for i := range m.Files {
		if m.Files[i].Path == path {
			m.Files[i].Role = r
		}
	}
}
