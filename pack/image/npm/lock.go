package npm

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"piwork/pack/durable"
	"piwork/pack/lazyregexp"
)

// LockSchema is the form of lock files.
const LockSchema = 1

// Want is a package in a version that a recipe asks for. Versions are exact.
type Want struct {
	Name, Version string
	Licence       string // that its makers give, where its package.json names none; "" is none
}

// Package is one package in one version.
type Package struct {
	Name      string `json:"name"` // with its scope
	Version   string `json:"version"`
	Integrity string `json:"integrity"` // "sha512-" and the hash of the package file in base64
	Size      int64  `json:"size"`      // bytes of the package file
	Licence   string `json:"licence"`   // as package.json has it
}

// Lock is what a list of wanted packages was resolved to.
type Lock struct {
	Schema   int       `json:"schema"`
	Packages []Package `json:"packages"` // in the order they were asked for
}

var (
	validName    = lazyregexp.New(`^(@[a-z0-9][a-z0-9._-]{0,99}/)?[a-z0-9][a-z0-9._-]{0,99}$`)
	validVersion = lazyregexp.New(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]{1,40})?$`)
	validLicence = lazyregexp.New(`^[A-Za-z0-9 .+()-]{1,100}$`)
)

// check refuses what cannot be in a lock file.
func (p Package) check() error {
	switch {
	case !validName().MatchString(p.Name):
		return fmt.Errorf("name %q", p.Name)
	case !validVersion().MatchString(p.Version):
		return fmt.Errorf("%s: version %q", p.Name, p.Version)
	case !validLicence().MatchString(p.Licence):
		return fmt.Errorf("%s: licence %q", p.Name, p.Licence)
	case p.Size <= 0 || p.Size > maxPacked:
		return fmt.Errorf("%s: size %d", p.Name, p.Size)
	}
	if _, err := p.sum(); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// sum is the SHA-512 of the package file.
func (p Package) sum() ([]byte, error) {
	b64, ok := strings.CutPrefix(p.Integrity, "sha512-")
	sum, err := base64.StdEncoding.Strict().DecodeString(b64)
	if !ok || err != nil || len(sum) != 64 {
		return nil, fmt.Errorf("integrity %q", p.Integrity)
	}
	return sum, nil
}

// SHA512 is the hash of the package file, in hex.
func (p Package) SHA512() (string, error) {
	sum, err := p.sum()
	return hex.EncodeToString(sum), err
}

// PURL is the package URL (https://github.com/package-url/purl-spec).
func (p Package) PURL() string {
	return "pkg:npm/" + strings.Replace(p.Name, "@", "%40", 1) + "@" + p.Version
}

// ParseLock reads and checks a lock file.
func ParseLock(data []byte) (*Lock, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var l Lock
	if err := d.Decode(&l); err != nil {
		return nil, fmt.Errorf("npm lock file: %w", err)
	}
	if l.Schema != LockSchema {
		return nil, fmt.Errorf("npm lock file: schema %d, this program knows %d", l.Schema, LockSchema)
	}
	seen := map[string]bool{}
	for _, p := range l.Packages {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("npm lock file: %w", err)
		}
		if seen[p.Name] {
			return nil, fmt.Errorf("npm lock file: %s twice", p.Name)
		}
		seen[p.Name] = true
	}
	return &l, nil
}

// ReadLock reads a lock file.
func ReadLock(file string) (*Lock, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l, err := ParseLock(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path.Base(file), err)
	}
	return l, nil
}

// Write replaces the lock file atomically.
func (l *Lock) Write(file string) error {
	data, err := json.MarshalIndent(l, "", "\t")
	if err != nil {
		return err
	}
	return durable.WriteFile(file, append(data, '\n'), 0o644)
}

// For tells whether the lock answers this question.
func (l *Lock) For(want []Want) bool {
	return slices.EqualFunc(l.Packages, want, func(p Package, w Want) bool { return p.Name == w.Name && p.Version == w.Version })
}

// errNotLocked is for a package that the recipe uses and does not ask for.
var errNotLocked = errors.New("not in the npm lock file")

// Find returns a package of the lock by its name.
func (l *Lock) Find(name string) (Package, error) {
	for _, p := range l.Packages {
		if p.Name == name {
			return p, nil
		}
	}
	return Package{}, fmt.Errorf("%s: %w", name, errNotLocked)
}
