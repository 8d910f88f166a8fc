package debian

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Environment variables that override the machine's own configuration.
const (
	EnvMirror         = "PIWORK_DEBIAN_MIRROR"          // base URL, with dists/ and pool/ below it
	EnvSecurityMirror = "PIWORK_DEBIAN_SECURITY_MIRROR" // by default the first with "-security" added
	EnvSnapshots      = "PIWORK_DEBIAN_SNAPSHOT"        // base URL of an archive of snapshots, see [Snapshots]
)

// Archives of Debian. A lock says from which one a package is.
const (
	ArchiveMain     = "debian"
	ArchiveSecurity = "debian-security"
)

// Mirrors are the base URLs of the archives, without a trailing slash.
type Mirrors map[string]string

// ErrNoMirror says that the machine's apt knows no Debian mirror.
var ErrNoMirror = errors.New("no Debian mirror in the apt configuration of this machine; set " + EnvMirror)

// FindMirrors returns the mirrors that the environment names, else those in the
// apt configuration etc ("/etc/apt" as a file system).
func FindMirrors(getenv func(string) string, etc fs.FS) (Mirrors, error) {
	if main := strings.TrimRight(getenv(EnvMirror), "/"); main != "" {
		security := strings.TrimRight(getenv(EnvSecurityMirror), "/")
		for _, m := range []string{main, cmp.Or(security, main)} {
			if u, err := url.Parse(m); err != nil || u.Scheme == "" {
				return nil, fmt.Errorf("%s: %q is not a URL", EnvMirror, m)
			}
		}
		return Mirrors{ArchiveMain: main, ArchiveSecurity: cmp.Or(security, main+"-security")}, nil
	}
	entries, err := readSources(etc)
	if err != nil {
		return nil, err
	}
	return chooseMirrors(entries)
}

// A sourceEntry is one place that apt reads from.
type sourceEntry struct {
	uri, suite string
	components []string
}

// releases are the names by which Debian's suites go.
var releases = []string{
	"oldoldstable", "oldstable", "stable", "testing", "unstable", "experimental",
	"bullseye", "bookworm", "trixie", "forky", "duke", "sid",
}

// chooseMirrors picks the base URL of each archive. Other archives use Debian's
// suite names too, so what looks most like Debian wins: the signature of what
// is fetched decides in the end.
func chooseMirrors(entries []sourceEntry) (Mirrors, error) {
	score := map[string]map[string]int{ArchiveMain: {}, ArchiveSecurity: {}}
	var order []string
	for _, e := range entries {
		if !slices.Contains(e.components, "main") {
			continue
		}
		name, part, _ := strings.Cut(strings.ReplaceAll(e.suite, "/updates", "-security"), "-")
		if !slices.Contains(releases, name) {
			continue
		}
		uri := strings.TrimRight(e.uri, "/")
		order = append(order, uri)
		base := path.Base(uri)
		switch part {
		case "security":
			score[ArchiveSecurity][uri] += 3
		case "updates", "backports":
			score[ArchiveMain][uri] += 2
		case "":
			score[ArchiveMain][uri]++
			if base == "debian" {
				score[ArchiveMain][uri] += 2
			}
		}
	}
	found := Mirrors{}
	for archive, scores := range score {
		best := 0
		for _, uri := range order {
			if scores[uri] > best {
				best, found[archive] = scores[uri], uri
			}
		}
	}
	if found[ArchiveMain] == "" {
		return nil, ErrNoMirror
	}
	found[ArchiveSecurity] = cmp.Or(found[ArchiveSecurity], found[ArchiveMain]+"-security")
	return found, nil
}

// readSources reads sources.list and sources.list.d in both forms of
// sources.list(5). Files that cannot be read by this user are left out.
func readSources(etc fs.FS) ([]sourceEntry, error) {
	names := []string{"sources.list"}
	more, err := fs.Glob(etc, "sources.list.d/*")
	if err != nil {
		return nil, err
	}
	var entries []sourceEntry
	for _, n := range append(names, more...) {
		parse := parseOneLine
		switch path.Ext(n) {
		case ".list":
		case ".sources":
			parse = parseDeb822
		default:
			continue
		}
		f, err := etc.Open(n)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found, err := parse(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n, err)
		}
		entries = append(entries, found...)
	}
	return entries, nil
}

// parseOneLine reads "deb [options] uri suite component…".
func parseOneLine(r io.Reader) ([]sourceEntry, error) {
	var entries []sourceEntry
	s := bufio.NewScanner(r)
	for s.Scan() {
		line, _, _ := strings.Cut(s.Text(), "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb")
		if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		rest = strings.TrimSpace(rest)
		if strings.HasPrefix(rest, "[") {
			if _, rest, ok = strings.Cut(rest, "]"); !ok {
				continue
			}
		}
		if f := strings.Fields(rest); len(f) >= 3 {
			entries = append(entries, sourceEntry{uri: f[0], suite: f[1], components: f[2:]})
		}
	}
	return entries, s.Err()
}

// parseDeb822 reads stanzas of fields.
func parseDeb822(r io.Reader) ([]sourceEntry, error) {
	stanzas, err := Paragraphs(r)
	if err != nil {
		return nil, err
	}
	var entries []sourceEntry
	for _, s := range stanzas {
		if s["enabled"] == "no" || !slices.Contains(strings.Fields(s["types"]), "deb") {
			continue
		}
		for _, uri := range strings.Fields(s["uris"]) {
			for _, suite := range strings.Fields(s["suites"]) {
				entries = append(entries, sourceEntry{uri: uri, suite: suite, components: strings.Fields(s["components"])})
			}
		}
	}
	return entries, nil
}
