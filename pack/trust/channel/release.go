package channel

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"piwork/pack/lazyregexp"
)

// ReleaseSchema is the form of release files that this program reads and writes.
const ReleaseSchema = 1

// Bounds on a release.
const (
	MaxRelease = 256 << 10 // bytes of a release file
	MaxArchive = 16 << 30  // bytes of an archive
	MaxHead    = 64 << 20  // bytes of an archive's head
	maxAddOns  = 32
	maxNotes   = 32 << 10 // bytes
)

// Release is what a channel offers for one platform.
type Release struct {
	Version     string            // semver
	Archive     Target            // the runtime pack
	AddOns      map[string]Target // by name, made with this runtime
	RequiresApp string            // range of versions of the program (semver), "" any
	Published   time.Time         // UTC
	Expires     time.Time         // when all this must have been signed anew, UTC
	Notes       string            // for people, plain text, may be ""
}

// Target is one archive of a repository.
type Target struct {
	Name   string // of the archive
	Path   string // in the repository: "targets/packs/<sha256>.<name>"
	Length int64  // bytes
	SHA256 string // of the archive, lower-case hex
	Head   int64  // bytes of the archive's head

	// Manifest is the SHA-256 of its manifest, lower-case hex.
	// Who fetches chunks never has the whole archive to compare with SHA256.
	Manifest string
}

// releaseFile is a release as it is written.
type releaseFile struct {
	Schema      int                   `json:"schema"`
	Version     string                `json:"version"`
	Archive     targetFile            `json:"archive"`
	AddOns      map[string]targetFile `json:"addOns,omitempty"`
	RequiresApp string                `json:"requiresApp,omitempty"`
	Published   time.Time             `json:"published"`
	Notes       string                `json:"notes,omitempty"`
}

type targetFile struct {
	Name     string `json:"name"`
	Length   int64  `json:"length"`
	SHA256   string `json:"sha256"`
	Head     int64  `json:"head"`
	Manifest string `json:"manifest"`
}

var (
	archivePattern = lazyregexp.New(`^[a-z][a-z0-9._+-]{0,150}\.tar\.zst$`)
	namePattern    = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`) // of channels and add-ons
	hostPattern    = lazyregexp.New(`^[a-z0-9]{1,16}-[a-z0-9_]{1,16}$`)
	digestPattern  = lazyregexp.New(`^[0-9a-f]{64}$`)
)

// ReleasePath is the target path of a release: "<channel>/<os>-<arch>.json".
func ReleasePath(channel, host string) string { return channel + "/" + host + ".json" }

// CheckNames refuses names of channels and platforms ("linux-amd64") that are
// not plain, and those of TUF's own roles.
func CheckNames(channel, host string) error {
	if err := checkRoleName(channel); err != nil {
		return err
	}
	if !hostPattern().MatchString(host) {
		return fmt.Errorf("platform %q: want <os>-<arch>", host)
	}
	return nil
}

// EncodeRelease returns the release file of r for a platform; Expires and the
// paths of targets are not in it. What [Client] would refuse is refused here.
func EncodeRelease(r Release, host string) ([]byte, error) {
	f := releaseFile{Schema: ReleaseSchema, Version: r.Version, Archive: fileOf(r.Archive),
		RequiresApp: r.RequiresApp, Published: r.Published.UTC().Truncate(time.Second), Notes: r.Notes}
	if len(r.AddOns) > 0 {
		f.AddOns = map[string]targetFile{}
	}
	for name, t := range r.AddOns {
		f.AddOns[name] = fileOf(t)
	}
	data, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("encode release: %w", err)
	}
	data = append(data, '\n')
	if _, err := ParseRelease(data, host); err != nil {
		return nil, err
	}
	return data, nil
}

func fileOf(t Target) targetFile {
	return targetFile{Name: t.Name, Length: t.Length, SHA256: t.SHA256, Head: t.Head, Manifest: t.Manifest}
}

// ParseRelease reads the release file of a platform. Fields that it does not
// know are passed over; Expires is left zero.
func ParseRelease(data []byte, host string) (*Release, error) {
	if len(data) > MaxRelease {
		return nil, fmt.Errorf("release: %d bytes, more than %d", len(data), MaxRelease)
	}
	if err := walk(data); err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	var f releaseFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	if f.Schema != ReleaseSchema {
		return nil, &Error{Kind: KindNewerForm, Err: fmt.Errorf("release of form %d, this program reads %d", f.Schema, ReleaseSchema)}
	}
	if _, err := semver.StrictNewVersion(f.Version); err != nil || len(f.Version) > 64 {
		return nil, fmt.Errorf("release: version %q is not a semantic version", f.Version)
	}
	if f.RequiresApp != "" {
		if _, err := semver.NewConstraint(f.RequiresApp); err != nil || len(f.RequiresApp) > 128 {
			return nil, fmt.Errorf("release: %q is not a range of versions", f.RequiresApp)
		}
	}
	if f.Published.IsZero() {
		return nil, fmt.Errorf("release: without a time of publication")
	}
	if len(f.Notes) > maxNotes || len(f.AddOns) > maxAddOns {
		return nil, fmt.Errorf("release: %d bytes of notes and %d add-ons are too many", len(f.Notes), len(f.AddOns))
	}
	r := &Release{Version: f.Version, RequiresApp: f.RequiresApp, Published: f.Published.UTC(), Notes: f.Notes}
	var err error
	if r.Archive, err = f.Archive.target("piwork-runtime-"+host+"-", f.Version); err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	if want := "piwork-runtime-" + host + "-" + f.Version + ".tar.zst"; f.Archive.Name != want {
		return nil, fmt.Errorf("release: archive %s: want %s", f.Archive.Name, want)
	}
	for name, a := range f.AddOns {
		if !namePattern().MatchString(name) {
			return nil, fmt.Errorf("release: add-on %q is not a plain name", name)
		}
		t, err := a.target("piwork-addon-"+name+"-", f.Version)
		if err != nil {
			return nil, fmt.Errorf("release: add-on %s: %w", name, err)
		}
		if r.AddOns == nil {
			r.AddOns = map[string]Target{}
		}
		r.AddOns[name] = t
	}
	return r, nil
}

// target checks that an archive is named as what it stands for, so that no
// platform or version is offered in place of another.
func (f targetFile) target(prefix, version string) (Target, error) {
	switch {
	case !archivePattern().MatchString(f.Name):
		return Target{}, fmt.Errorf("archive %q is not a plain name", f.Name)
	case !strings.HasPrefix(f.Name, prefix) || !strings.HasSuffix(f.Name, "-"+version+".tar.zst"),
		len(f.Name) < len(prefix)+len(version)+len(".tar.zst"):
		return Target{}, fmt.Errorf("archive %s: want %s…-%s.tar.zst", f.Name, prefix, version)
	case !digestPattern().MatchString(f.SHA256):
		return Target{}, fmt.Errorf("archive %s: %q is not a SHA-256", f.Name, f.SHA256)
	case f.Length < 1 || f.Length > MaxArchive:
		return Target{}, fmt.Errorf("archive %s: %d bytes", f.Name, f.Length)
	case f.Head < 1 || f.Head > MaxHead || f.Head > f.Length:
		return Target{}, fmt.Errorf("archive %s: a head of %d bytes", f.Name, f.Head)
	case !digestPattern().MatchString(f.Manifest):
		return Target{}, fmt.Errorf("archive %s: %q is not the SHA-256 of a manifest", f.Name, f.Manifest)
	}
	return Target{Name: f.Name, Path: TargetPath(f.SHA256, "packs/"+f.Name), Length: f.Length, SHA256: f.SHA256, Head: f.Head, Manifest: f.Manifest}, nil
}

// TargetPath is where a target stands in a repository with consistent
// snapshots: the name is preceded by the SHA-256 of the content.
func TargetPath(sha256, target string) string {
	dir, name := path.Split(target)
	return "targets/" + dir + sha256 + "." + name
}
