package debian

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Keyring holds the keys of the Debian archive (package debian-archive-keyring).
const Keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// helper downloads single files with apt's own transports.
const helper = "/usr/lib/apt/apt-helper"

// Apt is the machine's apt with our own sources, an empty list of installed
// packages, and none of the machine's hooks. Proxies and credentials stay the
// machine's.
type Apt struct {
	dir          string
	suite        string
	architecture string
	mirrors      Mirrors
}

// NewApt prepares apt in a directory, which is made when missing and may be
// used again.
func NewApt(dir, suite, architecture string, mirrors Mirrors) (*Apt, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, "\"\n{};") {
		return nil, fmt.Errorf("apt cannot be told about the directory %q", dir)
	}
	for _, d := range []string{"lists/partial", "cache/archives/partial", "state", "log"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	files := map[string]string{
		"status":       "",
		"sources.list": sourcesList(suite, mirrors),
		"apt.conf":     aptConfig(dir, architecture),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return &Apt{dir: dir, suite: suite, architecture: architecture, mirrors: mirrors}, nil
}

// sourcesList is the suite with its updates.
func sourcesList(suite string, m Mirrors) string {
	var b strings.Builder
	for _, s := range [][2]string{{ArchiveMain, suite}, {ArchiveMain, suite + "-updates"}, {ArchiveSecurity, suite + "-security"}} {
		fmt.Fprintf(&b, "deb [signed-by=%s] %s %s main\ndeb-src [signed-by=%[1]s] %[2]s %[3]s main\n", Keyring, m[s[0]], s[1])
	}
	return b.String()
}

// aptConfig is read after the machine's own configuration and overrides it
// (apt.conf(5)).
func aptConfig(dir, architecture string) string {
	var b strings.Builder
	for _, hook := range []string{
		"APT::Update::Pre-Invoke", "APT::Update::Post-Invoke", "APT::Update::Post-Invoke-Success",
		"APT::Update::Error-Pre-Invoke", "APT::Update::Error-Post-Invoke",
		"DPkg::Pre-Invoke", "DPkg::Post-Invoke", "DPkg::Pre-Install-Pkgs", "AptCli::Hooks",
		"APT::Architectures", "Acquire::IndexTargets::deb::DEP-11", "Acquire::IndexTargets::deb::Contents-deb",
	} {
		fmt.Fprintf(&b, "#clear %s;\n", hook)
	}
	for _, s := range [][2]string{
		{"Dir::State", "state"}, {"Dir::State::lists", "lists"}, {"Dir::State::status", "status"},
		{"Dir::Cache", "cache"}, {"Dir::Log", "log"}, {"Dir::Etc::sourcelist", "sources.list"},
	} {
		fmt.Fprintf(&b, "%s \"%s\";\n", s[0], filepath.Join(dir, s[1]))
	}
	for _, name := range []string{"sourceparts", "preferences", "preferencesparts", "trusted", "trustedparts"} {
		fmt.Fprintf(&b, "Dir::Etc::%s \"/dev/null\";\n", name)
	}
	fmt.Fprintf(&b, "APT::Architecture \"%s\";\nAPT::Architectures { \"%[1]s\"; };\n", architecture)
	b.WriteString(`APT::Install-Recommends "false";
APT::Install-Suggests "false";
APT::Get::AllowUnauthenticated "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::ForceHash "sha256";
Acquire::AllowInsecureRepositories "false";
Acquire::Retries "3";
Acquire::http::Timeout "60";
Acquire::https::Timeout "60";
`)
	return b.String()
}

// Update fetches the package lists. Signatures are checked by apt.
func (a *Apt) Update(ctx context.Context) error {
	_, err := a.run(ctx, "apt-get", "-q", "update", "-o", "APT::Update::Error-Mode=any")
	if err != nil {
		if strings.Contains(err.Error(), "NO_PUBKEY") {
			return fmt.Errorf("the keys of Debian %s are not in %s: update the package debian-archive-keyring: %w", a.suite, Keyring, err)
		}
		return fmt.Errorf("package lists of Debian %s: %w", a.suite, err)
	}
	return nil
}

// Time is when the newest of the fetched lists was made.
func (a *Apt) Time() (time.Time, error) {
	names, err := filepath.Glob(filepath.Join(a.dir, "lists", "*Release"))
	if err != nil {
		return time.Time{}, err
	}
	var newest time.Time
	for _, n := range names {
		f, err := os.Open(n)
		if err != nil {
			return time.Time{}, err
		}
		stanzas, err := Paragraphs(f)
		f.Close()
		if err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", n, err)
		}
		for _, s := range stanzas {
			if t, err := time.Parse(time.RFC1123, s["date"]); err == nil && t.After(newest) {
				newest = t
			}
		}
	}
	if newest.IsZero() {
		return time.Time{}, errors.New("no package list says when it was made")
	}
	return newest.UTC(), nil
}

// Resolve returns the packages that an installation of want would bring on an
// empty machine, in the versions that the mirror has now. Update goes before.
func (a *Apt) Resolve(ctx context.Context, want []string) ([]Package, error) {
	return a.resolve(ctx, want)
}

func (a *Apt) resolve(ctx context.Context, want []string, options ...string) ([]Package, error) {
	args := slices.Concat(options, []string{"-qq", "-y", "--print-uris", "install"}, want)
	out, err := a.run(ctx, "apt-get", args...)
	if err != nil {
		return nil, fmt.Errorf("resolve packages: %w", err)
	}
	places, err := a.parseURIs(out)
	if err != nil {
		return nil, fmt.Errorf("resolve packages: %w", err)
	}
	args = []string{"show"}
	for _, p := range places {
		args = append(args, p.name+"="+p.version)
	}
	out, err = a.run(ctx, "apt-cache", args...)
	if err != nil {
		return nil, fmt.Errorf("resolve packages: %w", err)
	}
	return describe(places, out)
}

// place is one line of apt-get --print-uris.
type place struct{ name, version, archive, sha256 string }

// parseURIs reads lines of 'uri' name_version_arch.deb size SHA256:hash.
func (a *Apt) parseURIs(out []byte) ([]place, error) {
	var places []place
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 0 || !strings.HasPrefix(f[0], "'") {
			continue
		}
		if len(f) != 4 {
			return nil, fmt.Errorf("apt said %q", line)
		}
		var p place
		uri := strings.Trim(f[0], "'")
		for archive, base := range a.mirrors {
			if strings.HasPrefix(uri, base+"/") {
				p.archive = archive
			}
		}
		name, rest, ok1 := strings.Cut(f[1], "_")
		version, _, ok2 := strings.Cut(rest, "_")
		hash, ok3 := strings.CutPrefix(f[3], "SHA256:")
		if p.archive == "" || !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("apt said %q", line)
		}
		p.name, p.version, p.sha256 = name, strings.ReplaceAll(version, "%3a", ":"), hash
		places = append(places, p)
	}
	if len(places) == 0 {
		return nil, errors.New("apt named no package")
	}
	return places, nil
}

// describe joins places with what apt-cache show says of them, by hash.
func describe(places []place, show []byte) ([]Package, error) {
	stanzas, err := Paragraphs(bytes.NewReader(show))
	if err != nil {
		return nil, err
	}
	byHash := map[string]Paragraph{}
	for _, s := range stanzas {
		byHash[s["sha256"]] = s
	}
	var packages []Package
	for _, p := range places {
		s, ok := byHash[p.sha256]
		if !ok {
			return nil, fmt.Errorf("apt does not describe %s %s", p.name, p.version)
		}
		q := Package{
			Name: s["package"], Version: s["version"], Architecture: s["architecture"],
			Archive: p.archive, Path: s["filename"], SHA256: p.sha256,
		}
		if _, err := fmt.Sscan(s["size"], &q.Size); err != nil {
			return nil, fmt.Errorf("%s: size %q", q.Name, s["size"])
		}
		q.Source, q.SourceVersion = sourceOf(s)
		if err := q.check(); err != nil {
			return nil, fmt.Errorf("apt describes a package badly: %w", err)
		}
		packages = append(packages, q)
	}
	slices.SortFunc(packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	return packages, nil
}

// sourceOf returns the source package and its version: "Source: name (version)",
// both as the binary's when not said.
func sourceOf(s Paragraph) (name, version string) {
	name, version = s["package"], s["version"]
	if src := s["source"]; src != "" {
		n, v, ok := strings.Cut(src, " (")
		name = n
		if ok {
			version = strings.TrimSuffix(v, ")")
		}
	}
	return name, version
}

// run runs a tool of apt with our configuration.
func (a *Apt) run(ctx context.Context, tool string, args ...string) ([]byte, error) {
	args = append([]string{"-c", filepath.Join(a.dir, "apt.conf")}, args...)
	c := exec.CommandContext(ctx, tool, args...)
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "LC_") || strings.HasPrefix(v, "LANG") || strings.HasPrefix(v, "APT_CONFIG=")
	}), "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive")
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("%s is needed, from Debian's package apt: %w", filepath.Base(tool), err)
		}
		return out.Bytes(), &aptError{tool: filepath.Base(tool), text: complaint.String() + errorLines(out.String()), err: err}
	}
	return out.Bytes(), nil
}

// aptError is a failed run, with what apt complained about.
type aptError struct {
	tool, text string
	err        error
}

func (e *aptError) Error() string {
	return fmt.Sprintf("%s: %v: %s", e.tool, e.err, strings.TrimSpace(e.text))
}

func (e *aptError) Unwrap() error { return e.err }

// errorLines are the lines of apt's progress that report failures.
func errorLines(out string) string {
	var b strings.Builder
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "Err:") || strings.HasPrefix(line, "E:") || strings.HasPrefix(line, "W:") || strings.HasPrefix(line, "  ") {
			b.WriteString(line)
		}
	}
	return b.String()
}
