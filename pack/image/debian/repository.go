package debian

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// WriteRepository makes an archive of the locked packages in an empty
// directory: one suite, one component, enough for apt, which is not told about
// dependencies on what the lock leaves out (dpkg needs --force-depends then). It is
// not signed; whoever uses it trusts the lock. Package files are linked where the file system can,
// else copied.
func WriteRepository(ctx context.Context, dir string, l *Lock, s *Store) error {
	var index strings.Builder
	for _, p := range l.Packages {
		control, err := Control(ctx, s.Path(p))
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := checkControl(control, p); err != nil {
			return err
		}
		name := "pool/" + p.SHA256 + ".deb"
		index.WriteString(indexEntry(independent(control, l.Without), name, p))
		if err := link(s.Path(p), filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	below := "main/binary-" + l.Architecture + "/Packages"
	files := map[string]string{
		"dists/" + l.Suite + "/" + below:     index.String(),
		"dists/" + l.Suite + "/" + "Release": releaseFile(l, below, index.String()),
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// checkControl holds a package against its lock: the file is the right one by
// its hash, the lock's words about it are checked here.
func checkControl(control string, p Package) error {
	stanzas, err := Paragraphs(strings.NewReader(control))
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if len(stanzas) != 1 {
		return fmt.Errorf("%s: %d paragraphs of control data", p.Name, len(stanzas))
	}
	c := stanzas[0]
	if c["package"] != p.Name || c["version"] != p.Version || c["architecture"] != p.Architecture {
		return fmt.Errorf("the file of %s %s (%s) contains %s %s (%s)", p.Name, p.Version, p.Architecture, c["package"], c["version"], c["architecture"])
	}
	return nil
}

// indexEntry is a paragraph of a Packages file: the control file and where the
// package is.
func indexEntry(control, path string, p Package) string {
	return fmt.Sprintf("%s\nFilename: %s\nSize: %d\nSHA256: %s\n\n", strings.TrimRight(control, "\n"), path, p.Size, p.SHA256)
}

// releaseFile describes the only index of the archive.
func releaseFile(l *Lock, below, index string) string {
	return fmt.Sprintf("Origin: piwork\nSuite: %s\nCodename: %[1]s\nDate: %s\nArchitectures: %s\nComponents: main\nSHA256:\n %x %d %s\n",
		l.Suite, l.Time.UTC().Format(time.RFC1123), l.Architecture, sha256.Sum256([]byte(index)), len(index), below)
}

// link makes a second name for a file, or a copy where that cannot be.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	err := os.Link(from, to)
	if err == nil || errors.Is(err, os.ErrExist) {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
