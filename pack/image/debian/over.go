package debian

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Digest is a hash of the packages of a lock in their versions, for
// [Lock.Over].
func (l *Lock) Digest() string {
	h := sha256.New()
	for _, p := range l.Packages {
		fmt.Fprintf(h, "%s %s %s\n", p.Name, p.Version, p.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Join is the lock of everything in two locks, the second of which adds to the
// first.
func Join(base, more *Lock) *Lock {
	all := *more
	all.Packages = slices.Concat(base.Packages, more.Packages)
	slices.SortFunc(all.Packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	all.Without = slices.Concat(base.Without, more.Without)
	slices.Sort(all.Without)
	all.Without = slices.Compact(all.Without)
	if base.Time.After(all.Time) {
		all.Time = base.Time
	}
	return &all
}

// ResolveOver is [Apt.Resolve] for a machine that has something already:
// installed is a status file of dpkg (/var/lib/dpkg/status), see [Installed]. A
// package that is installed in another version than would be needed is an error.
// Packages that are in without count as there, so that neither they nor what only
// they need is resolved: see [Lock.Without].
func (a *Apt) ResolveOver(ctx context.Context, want, without []string, installed string) ([]Package, error) {
	status := filepath.Join(a.dir, "status-over")
	versions := map[string]string{}
	if len(without) > 0 {
		out, err := a.run(ctx, "apt-cache", append([]string{"show", "--no-all-versions"}, without...)...)
		if err != nil {
			return nil, fmt.Errorf("resolve packages: what is left out: %w", err)
		}
		stanzas, err := Paragraphs(bytes.NewReader(out))
		if err != nil {
			return nil, err
		}
		for _, s := range stanzas {
			versions[s["package"]] = s["version"]
		}
	}
	installed = absent(without, versions, a.architecture) + installed
	if err := os.WriteFile(status, []byte(installed), 0o644); err != nil {
		return nil, err
	}
	found, err := a.resolve(ctx, want, "-o", "Dir::State::status="+status, "-o", "APT::Get::Upgrade=false")
	if err != nil {
		return nil, err
	}
	have, err := Paragraphs(strings.NewReader(installed))
	if err != nil {
		return nil, err
	}
	for _, s := range have {
		i := slices.IndexFunc(found, func(p Package) bool { return p.Name == s["package"] })
		switch {
		case i >= 0 && found[i].Version == s["version"]:
			// apt takes one that asks for less for another one of the same version.
			found = slices.Delete(found, i, i+1)
		case i >= 0:
			return nil, fmt.Errorf("resolve packages: %s is there in version %s, and %s would be needed", s["package"], s["version"], found[i].Version)
		}
	}
	return found, nil
}

// Installed is a status file that says that the packages of a lock, which the
// store has, are installed. They do not ask for what the lock leaves out.
func Installed(ctx context.Context, l *Lock, s *Store) (string, error) {
	var b strings.Builder
	for _, p := range l.Packages {
		control, err := Control(ctx, s.Path(p))
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.Name, err)
		}
		fmt.Fprintf(&b, "%s\nStatus: install ok installed\n\n", strings.TrimRight(independent(control, l.Without), "\n"))
	}
	return b.String(), nil
}

// absent is a status file that says that packages are installed: in a version
// that apt sees no newer one of, and good for those that depend on one exactly.
func absent(names []string, versions map[string]string, architecture string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "Package: %s\nStatus: install ok installed\nVersion: 99999:0\nArchitecture: %s\nMulti-Arch: foreign\nMaintainer: none\nDescription: left out\n", n, architecture)
		if v := versions[n]; v != "" {
			fmt.Fprintf(&b, "Provides: %s (= %s)\n", n, v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// independent takes dependencies out of control data that packages which are
// left out would satisfy.
func independent(control string, without []string) string {
	if len(without) == 0 {
		return control
	}
	var b strings.Builder
	for line := range strings.Lines(control) {
		field, value, ok := strings.Cut(line, ":")
		if !ok || field != "Depends" && field != "Pre-Depends" {
			b.WriteString(line)
			continue
		}
		left := slices.DeleteFunc(strings.Split(value, ","), func(alternatives string) bool {
			return slices.ContainsFunc(strings.Split(alternatives, "|"), func(d string) bool {
				name, _, _ := strings.Cut(strings.TrimSpace(d), " ")
				name, _, _ = strings.Cut(name, ":")
				return slices.Contains(without, name)
			})
		})
		if len(left) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", field, strings.TrimSpace(strings.Join(left, ",")))
		}
	}
	return b.String()
}
