package debian

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Source is one source package in one version: a description (.dsc) and the
// archives that it names.
type Source struct {
	Name      string       `json:"name"`
	Version   string       `json:"version"`
	Archive   string       `json:"archive"`   // ArchiveMain or ArchiveSecurity
	Directory string       `json:"directory"` // below the archive's base URL
	Files     []SourceFile `json:"files"`     // by name
}

// SourceFile is a file of a source package.
type SourceFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

// Fetchable returns the files of a source package in the form in which a
// [Store] fetches and keeps files, in order.
func (s Source) Fetchable() []Package {
	files := make([]Package, len(s.Files))
	for i, f := range s.Files {
		files[i] = Package{
			Name: s.Name, Version: s.Version, Architecture: "source", Archive: s.Archive, Path: path.Join(s.Directory, f.Name),
			Size: f.Size, SHA256: f.SHA256, Source: s.Name, SourceVersion: s.Version,
		}
	}
	return files
}

func (s Source) check() error {
	switch {
	case !validName().MatchString(s.Name):
		return fmt.Errorf("name %q", s.Name)
	case !validVersion().MatchString(s.Version):
		return fmt.Errorf("%s: version %q", s.Name, s.Version)
	case s.Archive != ArchiveMain && s.Archive != ArchiveSecurity:
		return fmt.Errorf("%s: archive %q", s.Name, s.Archive)
	case !fs.ValidPath(s.Directory) || !strings.HasPrefix(s.Directory, "pool/"):
		return fmt.Errorf("%s: directory %q", s.Name, s.Directory)
	}
	descriptions := 0
	for i, f := range s.Files {
		hash, err := hex.DecodeString(f.SHA256)
		switch {
		case !fs.ValidPath(f.Name) || strings.Contains(f.Name, "/") || !strings.HasPrefix(f.Name, s.Name+"_"):
			return fmt.Errorf("%s: file %q", s.Name, f.Name)
		case f.Size <= 0:
			return fmt.Errorf("%s: size %d of %s", s.Name, f.Size, f.Name)
		case err != nil || len(hash) != 32 || f.SHA256 != strings.ToLower(f.SHA256):
			return fmt.Errorf("%s: SHA-256 %q of %s", s.Name, f.SHA256, f.Name)
		case i > 0 && s.Files[i-1].Name >= f.Name:
			return fmt.Errorf("%s: %s is not after %s", s.Name, f.Name, s.Files[i-1].Name)
		}
		if path.Ext(f.Name) == ".dsc" {
			descriptions++
		}
	}
	if descriptions != 1 {
		return fmt.Errorf("%s: %d descriptions (.dsc)", s.Name, descriptions)
	}
	return nil
}

// ResolveSources returns source packages in the versions that the mirror has
// now, by name. A name with "/" and a suite behind it is held to that suite, as
// for apt-get(8). Update goes before.
func (a *Apt) ResolveSources(ctx context.Context, want []string) ([]Source, error) {
	if len(want) == 0 {
		return nil, nil
	}
	args := append([]string{"-qq", "--print-uris", "--download-only", "--only-source", "source"}, want...)
	uris, err := a.run(ctx, "apt-get", args...)
	if err != nil {
		return nil, fmt.Errorf("resolve sources: %w", err)
	}
	names := make([]string, len(want))
	for i, w := range want {
		names[i], _, _ = strings.Cut(w, "/")
	}
	shown, err := a.run(ctx, "apt-cache", append([]string{"showsrc", "--only-source"}, names...)...)
	if err != nil {
		return nil, fmt.Errorf("resolve sources: %w", err)
	}
	sources, err := a.describeSources(names, uris, shown)
	if err != nil {
		return nil, fmt.Errorf("resolve sources: %w", err)
	}
	return sources, nil
}

// describeSources joins lines of 'uri' name size SHA256:hash with the stanzas
// that name the same descriptions.
func (a *Apt) describeSources(want []string, uris, shown []byte) ([]Source, error) {
	stanzas, err := Paragraphs(bytes.NewReader(shown))
	if err != nil {
		return nil, err
	}
	byDirectory := map[string]*Source{}
	for line := range strings.Lines(string(uris)) {
		f := strings.Fields(line)
		if len(f) == 0 || !strings.HasPrefix(f[0], "'") {
			continue
		}
		if len(f) != 4 {
			return nil, fmt.Errorf("apt said %q", line)
		}
		uri, err := url.Parse(strings.Trim(f[0], "'"))
		if err != nil {
			return nil, fmt.Errorf("apt said %q", line)
		}
		archive, file := "", ""
		for name, base := range a.mirrors {
			if b, err := url.Parse(base); err == nil && b.Host == uri.Host {
				if rest, ok := strings.CutPrefix(uri.Path, b.Path+"/"); ok {
					archive, file = name, rest
				}
			}
		}
		hash, ok := strings.CutPrefix(f[3], "SHA256:")
		size, err := strconv.ParseInt(f[2], 10, 64)
		if archive == "" || !ok || err != nil {
			return nil, fmt.Errorf("apt said %q", line)
		}
		key := archive + " " + path.Dir(file)
		s := byDirectory[key]
		if s == nil {
			s = &Source{Archive: archive, Directory: path.Dir(file)}
			byDirectory[key] = s
		}
		s.Files = append(s.Files, SourceFile{Name: path.Base(file), Size: size, SHA256: hash})
	}
	var sources []Source
	for _, s := range byDirectory {
		slices.SortFunc(s.Files, func(x, y SourceFile) int { return strings.Compare(x.Name, y.Name) })
		for _, st := range stanzas {
			if st["directory"] == s.Directory && describes(st, s.Files) {
				s.Name, s.Version = st["package"], st["version"]
			}
		}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("apt describes a source badly: %w", err)
		}
		sources = append(sources, *s)
	}
	slices.SortFunc(sources, func(x, y Source) int { return strings.Compare(x.Name, y.Name) })
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	if sorted := slices.Sorted(slices.Values(want)); !slices.Equal(names, sorted) {
		return nil, errors.New("apt named the sources " + strings.Join(names, ", ") + " and not " + strings.Join(sorted, ", "))
	}
	return sources, nil
}

// describes tells whether a paragraph of a Sources index lists exactly these
// files.
func describes(s Paragraph, files []SourceFile) bool {
	listed := strings.Fields(s["checksums-sha256"])
	if len(listed) != 3*len(files) {
		return false
	}
	for _, f := range files {
		if !slices.Contains(listed, f.SHA256) || !slices.Contains(listed, f.Name) {
			return false
		}
	}
	return true
}
