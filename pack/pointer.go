package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/Masterminds/semver/v3"

	"piwork/pack/spec"
)

const (
	maxPointer  = 8 << 10 // bytes
	maxFailures = 16
)

// Why is the reason for which a version is not tried again by itself.
type Why string

// Reasons.
const (
	WhyBoot       Why = "boot"        // its first boot on this computer failed
	WhyUnhealthy  Why = "unhealthy"   // it was current and stopped working
	WhyRolledBack Why = "rolled-back" // a person went back to the version before
	WhyReplaced   Why = "replaced"    // a person chose an older version
)

// Failure is a version that nobody is to be given again without asking for it.
type Failure struct {
	Version  string `json:"version"`
	Manifest string `json:"manifest"` // SHA-256 in hex: the same version built anew is another one
	Why      Why    `json:"why"`
}

// Pointer is the life cycle of a store: which version is in use, which one a
// rollback returns to, and which one waits for its first boot. The empty string
// is none. A file of an earlier program has the first two members only.
type Pointer struct {
	Current   string `json:"current"`
	Previous  string `json:"previous,omitempty"`  // was current before
	Candidate string `json:"candidate,omitempty"` // installed, and not yet booted here
}

// life is the content of the pointer file.
type life struct {
	Pointer
	Failed []Failure `json:"failed,omitempty"` // oldest first
}

// refused returns why the pack with this manifest is not tried by itself, or "".
func (p life) refused(manifest string) Why {
	i := slices.IndexFunc(p.Failed, func(f Failure) bool { return f.Manifest == manifest && manifest != "" })
	if i < 0 {
		return ""
	}
	return p.Failed[i].Why
}

// equal compares; a nil and an empty list of failures are the same.
func (p life) equal(q life) bool {
	return p.Pointer == q.Pointer && slices.Equal(p.Failed, q.Failed)
}

// refuse notes a failure as the newest one, forgetting the oldest.
func (p life) refuse(f Failure) life {
	p = p.forgive(f.Version, f.Manifest)
	p.Failed = append(p.Failed, f)
	p.Failed = p.Failed[max(0, len(p.Failed)-maxFailures):]
	return p
}

// forgive removes what is held against a version.
func (p life) forgive(version, manifest string) life {
	p.Failed = slices.DeleteFunc(slices.Clone(p.Failed), func(f Failure) bool {
		return f.Version == version && (f.Manifest == manifest || f.Manifest == "")
	})
	return p
}

// Newer tells whether v is a later version than the other one (precedence of
// Semantic Versioning 2.0.0, 11: what is built from the same sources is not newer).
// Any version is newer than none, and than what is not a version; what is not a
// version is newer than nothing.
func Newer(v, than string) bool {
	a, err := semver.StrictNewVersion(v)
	if err != nil {
		return false
	}
	b, err := semver.StrictNewVersion(than)
	return err != nil || a.GreaterThan(b)
}

// errBadPointer: the pointer file is there and says nothing usable.
var errBadPointer = errors.New(pointerName + " is damaged")

// readPointer reads the pointer of the store in root. What is held against
// versions is no reason to lose the rest: entries that make no sense are left out.
func readPointer(root *os.Root) (life, error) {
	data, err := readBounded(root, pointerName, maxPointer)
	if spec.KindOf(err) != "" {
		return life{}, fmt.Errorf("%w: %w", errBadPointer, err)
	}
	if err != nil {
		return life{}, err
	}
	var p life
	if err := json.Unmarshal(data, &p); err != nil {
		return life{}, fmt.Errorf("%w: %w", errBadPointer, err)
	}
	for _, v := range []string{p.Current, p.Previous, p.Candidate} {
		if v == "" {
			continue
		}
		if err := spec.CheckVersion(v); err != nil { // it becomes part of a path
			return life{}, fmt.Errorf("%w: version %.80q: %w", errBadPointer, v, err)
		}
	}
	p.Failed = slices.DeleteFunc(p.Failed, func(f Failure) bool {
		return spec.CheckVersion(f.Version) != nil || f.Manifest != "" && !spec.IsSHA256(f.Manifest) || len(f.Why) > 32
	})
	p.Failed = p.Failed[max(0, len(p.Failed)-maxFailures):]
	return p, nil
}

// pointerOrNone is readPointer; a store without one has the zero value.
func pointerOrNone(root *os.Root) (life, error) {
	p, err := readPointer(root)
	if errors.Is(err, fs.ErrNotExist) {
		return life{}, nil
	}
	return p, err
}

// readLife is pointerOrNone for whoever has no lock: it repairs a pointer that is damaged,
// unless somebody changes the store right now.
func (s *Store) readLife(root *os.Root) (life, error) {
	p, err := pointerOrNone(root)
	if !errors.Is(err, errBadPointer) {
		return p, err
	}
	hasty := *s
	hasty.patient = false
	if swept := hasty.Sweep(context.Background()); swept != nil {
		return life{}, errors.Join(err, swept)
	}
	return pointerOrNone(root)
}

// writePointer replaces the pointer file atomically and durably.
func (s *Store) writePointer(root *os.Root, p life) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := writeAtomic(root, pointerName, append(data, '\n'), 0o600, s.step); err != nil {
		return fmt.Errorf("write %s: %w", pointerName, err)
	}
	return nil
}

// ensurePointer writes a pointer to nothing when there is none.
func (s *Store) ensurePointer(root *os.Root) error {
	_, err := readPointer(root)
	if errors.Is(err, fs.ErrNotExist) {
		return s.writePointer(root, life{})
	}
	return err
}

// edit writes the pointer when change changes it, and returns what it says then.
func (s *Store) edit(root *os.Root, change func(life) life) (life, error) {
	p, err := pointerOrNone(root)
	if err != nil {
		return life{}, err
	}
	next := change(p)
	if next.equal(p) {
		return p, nil
	}
	return next, s.writePointer(root, next)
}

// point makes version current, and what was current the previous one.
func (s *Store) point(root *os.Root, version string) error {
	_, err := s.edit(root, func(p life) life { return p.promote(root, version) })
	return err
}

func (p life) promote(root *os.Root, version string) life {
	p = p.forgive(version, digestIn(root, version))
	if !Newer(p.Candidate, version) {
		p.Candidate = ""
	}
	if p.Current == version {
		return p
	}
	// What falls out of the pointer and is newer than what is in use now would
	// look like an update that waits for its first boot.
	if out := p.Previous; out != "" && out != version && Newer(out, version) {
		p = p.refuse(Failure{Version: out, Manifest: digestIn(root, out), Why: WhyReplaced})
	}
	p.Current, p.Previous = version, p.Current
	return p
}

// digestIn returns the SHA-256 of the manifest of an installed version, "" where
// it cannot be read. It says which pack this claims to be, not that it is sound.
func digestIn(root *os.Root, version string) string {
	data, err := readBounded(root, path.Join(version, spec.ManifestName), spec.MaxManifest)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// repairPointer makes the pointer say what is there: a lost one is the newest
// version, one at a missing version is the previous. A version that came in
// without being noted, because a program ended in between, is the candidate.
func (s *Store) repairPointer(root *os.Root) error {
	versions, err := listVersions(root)
	if err != nil {
		return err
	}
	p, err := readPointer(root)
	switch lost := errors.Is(err, fs.ErrNotExist); {
	case lost && len(versions) == 0:
		return nil
	case lost || errors.Is(err, errBadPointer):
		if len(versions) == 0 {
			versions = []string{""}
		}
		return s.writePointer(root, life{Pointer: Pointer{Current: versions[0]}})
	case err != nil:
		return err
	}
	fixed := p
	for _, v := range []*string{&fixed.Current, &fixed.Previous, &fixed.Candidate} {
		if !slices.Contains(versions, *v) {
			*v = ""
		}
	}
	if fixed.Current == "" {
		fixed.Current, fixed.Previous = fixed.Previous, ""
	}
	if fixed.Candidate == "" {
		fixed.Candidate = unnoted(root, fixed, versions)
	}
	if fixed.equal(p) {
		return nil
	}
	return s.writePointer(root, fixed)
}

// unnoted returns the newest version that is newer than what is in use and that
// nothing is held against.
func unnoted(root *os.Root, p life, versions []string) string {
	for _, v := range versions {
		if v == p.Previous || !Newer(v, p.Current) {
			continue
		}
		digest := digestIn(root, v)
		if digest != "" && p.refused(digest) == "" {
			return v
		}
	}
	return ""
}
