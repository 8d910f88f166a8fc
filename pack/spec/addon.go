package spec

import (
	"fmt"
	"strings"
)

// An add-on is a pack of one read-only image that the guest puts over the base
// layer of a runtime. It holds nothing that a host runs, so that it is the same
// for every host; it fits the one base that it was made over, to the bit.
const (
	AnyHost     = "any"           // HostOS and HostArch of an add-on
	AddOnPrefix = "piwork-addon-" // of its name
	BaseLayer   = "base"          // name of the layer that the root file system of a runtime is
)

// AddOn returns the name of the add-on, without prefix; a runtime has none.
func (m *Manifest) AddOn() (name string, ok bool) {
	if name, ok = strings.CutPrefix(m.Name, AddOnPrefix); !ok {
		return "", false
	}
	return name, true
}

// BaseRoot is the root hash of the base layer of a runtime, "" without one.
func (m *Manifest) BaseRoot() string {
	for _, l := range m.Layers {
		if l.Name == BaseLayer && l.Verity != nil {
			return l.Verity.RootHash
		}
	}
	return ""
}

// FitsOver reports whether the add-on can be used with a runtime: made over its
// very base layer, for the same guest.
func (m *Manifest) FitsOver(base *Manifest) bool {
	_, ok := m.AddOn()
	root := base.BaseRoot()
	return ok && root != "" && m.Layers[0].Base == root && m.GuestArch == base.GuestArch
}

// validateAddOn checks that an add-on is nothing else, and that nothing else says
// it is for any host.
func (m *Manifest) validateAddOn() error {
	name, ok := m.AddOn()
	if !ok {
		if m.HostOS == AnyHost || m.HostArch == AnyHost {
			return fmt.Errorf("%s for %s/%s: only an add-on is for any host", m.Name, m.HostOS, m.HostArch)
		}
		for _, l := range m.Layers {
			if l.Base != "" {
				return fmt.Errorf("layer %s lies over another base, and this is no add-on", l.Name)
			}
		}
		return nil
	}
	switch {
	case m.HostOS != AnyHost || m.HostArch != AnyHost:
		return fmt.Errorf("add-on for %s/%s, not for %q", m.HostOS, m.HostArch, AnyHost)
	case !wordPattern().MatchString(name) || name == BaseLayer:
		return fmt.Errorf("add-on %.80q", name)
	case len(m.Layers) != 1 || m.Layers[0].Name != name:
		return fmt.Errorf("add-on %s has not exactly the layer of its name", name)
	}
	l := m.Layers[0]
	if l.Path != "guest/"+name+".img" || l.Base == "" || l.Verity == nil {
		return fmt.Errorf("add-on %s: its layer must be guest/%s.img, over a base, with a hash tree", name, name)
	}
	for _, f := range m.Files {
		switch f.Role {
		case RoleChunks, RoleLicence, RoleSourceOffer, RoleTools, RoleSBOM, RoleProvenance:
		case RoleLayer:
			if f.Path != l.Path {
				return fmt.Errorf("add-on %s has a second image %s", name, f.Path)
			}
		default:
			return fmt.Errorf("add-on %s has %s, whose role is %s", name, f.Path, f.Role)
		}
	}
	if f, _ := m.file(l.Path); f.Role != RoleLayer {
		return fmt.Errorf("add-on %s: role of its image is %s", name, f.Role)
	}
	return nil
}
