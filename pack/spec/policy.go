package spec

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

	// Withdrawn reports whether a version must not be installed any more, and why;
	// nil is that none is. What is installed opens all the same: without another
	// version it is the only one there is.
	Withdrawn func(version string) (reason string, yes bool)
}

// Accept refuses a valid manifest that is for others, or whose version was
// withdrawn: what comes from outside.
func (p Policy) Accept(m *Manifest) error {
	if err := p.Check(m); err != nil {
		return err
	}
	return p.Withdrawal(m.Version)
}

// Withdrawal returns a [VerifyError] when a version was withdrawn: it must be
// neither installed nor gone back to.
func (p Policy) Withdrawal(version string) error {
	if p.Withdrawn == nil {
		return nil
	}
	reason, yes := p.Withdrawn(version)
	if !yes {
		return nil
	}
	return Refuse(KindWithdrawn, "", "version %s was withdrawn: %s", version, cmp.Or(reason, "no reason is given"))
}

// Check refuses a valid manifest that is for others. One for any host is an
// add-on's: see validateAddOn.
func (p Policy) Check(m *Manifest) error {
	if m.HostOS != AnyHost {
		if err := p.CheckHost(m.HostOS, m.HostArch); err != nil {
			return err
		}
	}
	if p.AppVersion == "" || m.RequiresApp == "" {
		return nil
	}
	app, err := semver.NewVersion(p.AppVersion)
	if err != nil {
		return Refuse(KindWrongAppVersion, "", "needs piwork %s, and %q is not a version: %w", m.RequiresApp, p.AppVersion, err)
	}
	c, err := semver.NewConstraint(m.RequiresApp)
	if err != nil {
		return Refuse(KindBadManifest, ManifestName, "requires-app range %q: %w", m.RequiresApp, err)
	}
	// A pre-release of 1.2.0 has what 1.2.0 has, as far as packs are concerned.
	if core := semver.New(app.Major(), app.Minor(), app.Patch(), "", ""); !c.Check(core) {
		return Refuse(KindWrongAppVersion, "", "needs piwork %s, this is %s", m.RequiresApp, p.AppVersion)
	}
	return nil
}

// CheckHost refuses what is for another machine.
func (p Policy) CheckHost(os, arch string) error {
	here, processor := cmp.Or(p.HostOS, runtime.GOOS), cmp.Or(p.HostArch, runtime.GOARCH)
	if !p.AnyPlatform && (os != here || arch != processor) {
		return Refuse(KindWrongPlatform, "", "for %s/%s, this is %s/%s", os, arch, here, processor)
	}
	return nil
}
