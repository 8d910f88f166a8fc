package debian

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"piwork/pack/durable"
	"piwork/pack/lazyregexp"
)

// LockSchema is the form of lock files.
const LockSchema = 1

// Package is one binary package in one version.
type Package struct {
	Name          string `json:"name"`
	Version       string `json:"version"`
	Architecture  string `json:"architecture"`
	Archive       string `json:"archive"` // ArchiveMain or ArchiveSecurity
	Path          string `json:"path"`    // below the archive's base URL
	Size          int64  `json:"size"`    // bytes
	SHA256        string `json:"sha256"`
	Source        string `json:"source"`
	SourceVersion string `json:"sourceVersion"`
}

// Lock is what a set of packages was resolved to.
type Lock struct {
	Schema       int       `json:"schema"`
	Set          string    `json:"set"`
	Suite        string    `json:"suite"`
	Architecture string    `json:"architecture"` // as Debian names it
	Time         time.Time `json:"time"`         // of the archive's newest index; the time in everything built from it
	Want         []string  `json:"want"`         // what was asked for
	Packages     []Package `json:"packages"`     // by name
	// Without are packages that others depend on and that were left out.
	Without []string `json:"without,omitempty"`
	// Over is the Digest of the lock that this one adds to: Packages are only what
	// that one has not.
	Over string `json:"over,omitempty"`

	WantSources []string `json:"wantSources,omitempty"` // source packages that were asked for
	Sources     []Source `json:"sources,omitempty"`     // by name
}

var (
	validName    = lazyregexp.New(`^[a-z0-9][a-z0-9+.-]{1,127}$`)
	validVersion = lazyregexp.New(`^[0-9][A-Za-z0-9.+:~-]{0,127}$`)
	validArch    = lazyregexp.New(`^[a-z0-9-]{2,32}$`)
)

// ParseLock reads and checks a lock file.
func ParseLock(data []byte) (*Lock, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var l Lock
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("lock file: %w", err)
	}
	if l.Schema != LockSchema {
		return nil, fmt.Errorf("lock file: schema %d, this program knows %d", l.Schema, LockSchema)
	}
	if !validArch().MatchString(l.Architecture) || !validArch().MatchString(l.Suite) || l.Time.IsZero() {
		return nil, errors.New("lock file: suite, architecture or time is missing")
	}
	for i, p := range l.Packages {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("lock file: package %d: %w", i, err)
		}
		if i > 0 && l.Packages[i-1].Name >= p.Name {
			return nil, fmt.Errorf("lock file: %s is not after %s", p.Name, l.Packages[i-1].Name)
		}
	}
	for i, src := range l.Sources {
		if err := src.check(); err != nil {
			return nil, fmt.Errorf("lock file: source %d: %w", i, err)
		}
		if i > 0 && l.Sources[i-1].Name >= src.Name {
			return nil, fmt.Errorf("lock file: source %s is not after %s", src.Name, l.Sources[i-1].Name)
		}
	}
	return &l, nil
}

// All returns everything that the lock names, as a [Store] fetches it: the
// packages, then the files of the sources.
func (l *Lock) All() []Package {
	all := slices.Clone(l.Packages)
	for _, s := range l.Sources {
		all = append(all, s.Fetchable()...)
	}
	return all
}

func (p Package) check() error {
	hash, err := hex.DecodeString(p.SHA256)
	switch {
	case !validName().MatchString(p.Name):
		return fmt.Errorf("name %q", p.Name)
	case !validVersion().MatchString(p.Version):
		return fmt.Errorf("%s: version %q", p.Name, p.Version)
	case !validArch().MatchString(p.Architecture):
		return fmt.Errorf("%s: architecture %q", p.Name, p.Architecture)
	case p.Archive != ArchiveMain && p.Archive != ArchiveSecurity:
		return fmt.Errorf("%s: archive %q", p.Name, p.Archive)
	case !fs.ValidPath(p.Path) || !strings.HasPrefix(p.Path, "pool/") || path.Ext(p.Path) != ".deb":
		return fmt.Errorf("%s: path %q", p.Name, p.Path)
	case p.Size <= 0:
		return fmt.Errorf("%s: size %d", p.Name, p.Size)
	case err != nil || len(hash) != 32 || p.SHA256 != strings.ToLower(p.SHA256):
		return fmt.Errorf("%s: SHA-256 %q", p.Name, p.SHA256)
	}
	return nil
}

// ReadLock reads a lock file.
func ReadLock(file string) (*Lock, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l, err := ParseLock(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return l, nil
}

// Encode returns the bytes of the lock file.
func (l *Lock) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(l, "", "\t")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}

// Write replaces the lock file.
func (l *Lock) Write(file string) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	return durable.WriteFile(file, data, 0o644)
}

// For tells whether the lock answers this question.
func (l *Lock) For(suite, architecture string, want []string) bool {
	return l.Suite == suite && l.Architecture == architecture && slices.Equal(l.Want, want)
}

// A Change is a package that differs between two locks; an empty version means
// that it is not in that one.
type Change struct{ Name, Old, New string }

// Diff lists what became of packages, by name.
func Diff(before, after *Lock) []Change {
	versions := map[string]*Change{}
	at := func(name string) *Change {
		if versions[name] == nil {
			versions[name] = &Change{Name: name}
		}
		return versions[name]
	}
	if before != nil {
		for _, p := range before.Packages {
			at(p.Name).Old = p.Version
		}
		for _, s := range before.Sources {
			at("source of " + s.Name).Old = s.Version
		}
	}
	for _, p := range after.Packages {
		at(p.Name).New = p.Version
	}
	for _, s := range after.Sources {
		at("source of " + s.Name).New = s.Version
	}
	var all []Change
	for _, c := range versions {
		if c.Old != c.New {
			all = append(all, *c)
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// String is one line for a person.
func (c Change) String() string {
	switch {
	case c.Old == "":
		return fmt.Sprintf("%s: new, %s", c.Name, c.New)
	case c.New == "":
		return fmt.Sprintf("%s: %s is no longer needed", c.Name, c.Old)
	}
	return fmt.Sprintf("%s: %s → %s", c.Name, c.Old, c.New)
}
