package pack

import (
	"cmp"
	"runtime"

	"github.com/Masterminds/semver/v3"
)

// Progress is told how many bytes of unpacked files are done, and of how many.
// Calls come one at a time, done never falls.
type Progress func(done, total int64)

// Policy says for whom a pack must be. The zero value is this machine and any
// version of the program.
type Policy struct {
	HostOS      string // as GOOS; "" is this machine's
	HostArch    string // as GOARCH; "" is this machine's
	AnyPlatform bool   // also packs for other machines, e.g. to verify what was built for them
	AppVersion  string // semver of this program; "" leaves the range of the manifest unchecked
}

// check refuses a valid manifest that is for others.
func (p Policy) check(m *Manifest) error {
	os, arch := cmp.Or(p.HostOS, runtime.GOOS), cmp.Or(p.HostArch, runtime.GOARCH)
	if !p.AnyPlatform && (m.HostOS != os || m.HostArch != arch) {
		return refuse(KindWrongPlatform, "", "for %s/%s, this is %s/%s", m.HostOS, m.HostArch, os, arch)
	}
	if p.AppVersion == "" || m.RequiresApp == "" {
		return nil
	}
	app, err := semver.NewVersion(p.AppVersion)
	if err != nil {
		return refuse(KindWrongAppVersion, "", "needs piwork %s, and %q is not a version: %w", m.RequiresApp, p.AppVersion, err)
	}
	c, err := semver.NewConstraint(m.RequiresApp)
	if err != nil {
		return refuse(KindBadManifest, ManifestName, "requires-app range %q: %w", m.RequiresApp, err)
	}
	// A pre-release of 1.2.0 has what 1.2.0 has, as far as packs are concerned.
	if core := semver.New(app.Major(), app.Minor(), app.Patch(), "", ""); !c.Check(core) {
		return refuse(KindWrongAppVersion, "", "needs piwork %s, this is %s", m.RequiresApp, p.AppVersion)
	}
	return nil
}
