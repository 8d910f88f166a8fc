package image

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"piwork/pack/image/npm"
)

// EnvNodeVersion is the environment variable that asks for another release of
// Node than the recipe's. It has a lock file of its own, which [Relock] writes when
// the variable is set.
const EnvNodeVersion = "PIWORK_NODE_VERSION"

// What comes from npm: Node itself with its package manager, and the AI program with the
// two packages that its bundle loads from node_modules.
const (
	nodeVersion = "22.23.3"
	nodeOldest  = "22.19.0" // that the AI program runs on

	npmPackage   = "npm"
	npmVersion   = "10.9.9" // of the line that Node 22 comes with
	piPackage    = "@earendil-works/pi-coding-agent"
	jitiPackage  = "jiti"
	photonPacked = "@silvia-odwyer/photon-node"
)

// Places in the guest.
const (
	programsDir = "opt/piwork"
	nodeDir     = programsDir + "/node"
	npmDir      = nodeDir + "/lib/node_modules/npm" // where it looks for itself
	piDir       = programsDir + "/pi"
	piMain      = piDir + "/dist/bundle/cli.js"
)

// nodePackage is the npm package that has Node's binary for a platform.
func (p platform) nodePackage() string { return "node-linux-" + p.node }

// programs are the packages from npm for a guest.
func programs(p platform, node string) []npm.Want {
	return []npm.Want{
		{Name: p.nodePackage(), Version: node},
		{Name: npmPackage, Version: npmVersion},
		{Name: piPackage, Version: "1.5.2"},
		{Name: jitiPackage, Version: "2.7.0"},
		{Name: photonPacked, Version: "0.3.4"},
	}
}

// chooseNode returns the release of Node to use, which the user may name.
func chooseNode(asked string) (string, error) {
	if asked == "" {
		return nodeVersion, nil
	}
	v, err := semver.StrictNewVersion(strings.TrimPrefix(asked, "v"))
	if err != nil {
		return "", fmt.Errorf("%s is %q, not a version like %s", EnvNodeVersion, asked, nodeVersion)
	}
	if v.LessThan(semver.MustParse(nodeOldest)) {
		return "", fmt.Errorf("%s is %s; the AI program needs %s or newer", EnvNodeVersion, v, nodeOldest)
	}
	return v.String(), nil
}

// npmLockFile is where the lock for a release of Node is.
func npmLockFile(sourceDir string, p platform, node string) string {
	name := "npm-" + p.debian
	if node != nodeVersion {
		name += "-node-" + node
	}
	return filepath.Join(sourceDir, "pack", "image", "lock", name+".json")
}

// lockPrograms reads the lock file of what comes from npm.
func (b *builder) lockPrograms() (*npm.Lock, error) {
	relock := relockCommand(groupNPM, b.guest.debian)
	if b.node != nodeVersion {
		relock = EnvNodeVersion + "=" + b.node + " " + relock + " --arch " + b.guest.goarch
	}
	return readNPMLock(npmLockFile(b.SourceDir, b.guest, b.node), relock, programs(b.guest, b.node))
}

// readNPMLock reads a lock file that answers what is wanted; relock is the command that writes it.
func readNPMLock(file, relock string, want []npm.Want) (*npm.Lock, error) {
	l, err := npm.ReadLock(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("npm packages: the lock file %s is missing; write it with %s", filepath.Base(file), relock)
	case err != nil:
		return nil, fmt.Errorf("npm packages: %w; restore it, or write it anew with %s", err, relock)
	case !l.For(want):
		return nil, fmt.Errorf("npm packages: the lock file %s was made for other versions than the recipe asks for now; write it with %s", filepath.Base(file), relock)
	}
	return l, nil
}

// programsPart lays out what comes from npm as it stands in the guest's root.
func (b *builder) programsPart(ctx context.Context) (string, error) {
	recipe, err := sourceHash("programs.go", "internal/", "npm/")
	if err != nil {
		return "", err
	}
	return b.compiled(ctx, "programs", recipe, nil, []any{b.npmLock}, func(ctx context.Context, dir string) error {
		r, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer r.Close()
		return layPrograms(ctx, r, b.guest, b.npmLock, b.npm)
	})
}

// layPrograms fills the root of a part: /opt/piwork, and names in /usr/bin.
func layPrograms(ctx context.Context, r *os.Root, p platform, l *npm.Lock, s *npm.Store) error {
	for _, w := range []struct {
		name, at string
		wanted   func(string) bool
	}{
		{p.nodePackage(), nodeDir, func(n string) bool { return n == "bin/node" || n == "LICENSE" }},
		{npmPackage, npmDir, npmFile},
		{piPackage, piDir, piFile},
		{jitiPackage, piDir + "/node_modules/" + jitiPackage, jitiFile},
		{photonPacked, piDir + "/node_modules/" + photonPacked, func(n string) bool { return !strings.HasSuffix(n, ".d.ts") }},
	} {
		q, err := l.Find(w.name)
		if err != nil {
			return err
		}
		if err := s.Fetch(ctx, q); err != nil {
			return err
		}
		if err := npm.Unpack(s.Path(q), r, w.at, w.wanted); err != nil {
			return fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	if err := trimELF(r, nodeDir+"/bin/node"); err != nil {
		return fmt.Errorf("node: %w", err)
	}
	for name, target := range map[string]string{
		"usr/bin/node": nodeDir + "/bin/node", "usr/bin/pi": piMain,
		"usr/bin/npm": npmDir + "/bin/npm-cli.js", "usr/bin/npx": npmDir + "/bin/npx-cli.js",
	} {
		if err := r.Chmod(target, 0o755); err != nil {
			return fmt.Errorf("a program is not where it was: %w", err)
		}
		if err := r.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := r.Symlink("../../"+target, name); err != nil {
			return err
		}
	}
	return nil
}

// npmFile says what of npm is needed: all but what people read.
func npmFile(name string) bool {
	switch top, _, _ := strings.Cut(name, "/"); top {
	case "docs", "man":
		return false
	}
	switch path.Ext(name) {
	case ".md", ".markdown", ".map", ".ts", ".mts", ".cts":
		return strings.HasPrefix(strings.ToUpper(path.Base(name)), "LICEN")
	}
	return true
}

// piFile says what of the AI program's package is needed: its bundle, what the
// bundle reads beside it, and what it is. The rest is the same code again.
func piFile(name string) bool {
	switch {
	case name == "package.json" || name == "LICENSE":
		return true
	case strings.HasPrefix(name, "dist/bundle/"):
		return !strings.HasSuffix(name, ".map")
	case strings.HasPrefix(name, "dist/modes/interactive/theme/"):
		return path.Ext(name) == ".json"
	case strings.HasPrefix(name, "dist/core/export-html/"):
		return !strings.HasSuffix(name, ".map") && !strings.HasSuffix(name, ".d.ts")
	}
	return false
}

func jitiFile(name string) bool {
	return name == "package.json" || name == "LICENSE" || strings.HasPrefix(name, "lib/") || strings.HasPrefix(name, "dist/")
}

// trimELF cuts off what a program does not need to run: everything after its
// segments, which is symbols, debugging information and the section headers
// (elf(5)). It does for every architecture what strip(1) does for its own.
func trimELF(r *os.Root, name string) error {
	f, err := r.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := elf.NewFile(f)
	if err != nil {
		return err
	}
	if p.Class != elf.ELFCLASS64 || p.Type != elf.ET_EXEC && p.Type != elf.ET_DYN {
		return fmt.Errorf("not a 64-bit program: %s %s", p.Class, p.Type)
	}
	var header elf.Header64
	raw := make([]byte, binary.Size(header))
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, int64(len(raw))), raw); err != nil {
		return err
	}
	if _, err := binary.Decode(raw, p.ByteOrder, &header); err != nil {
		return err
	}
	end := int64(header.Phoff) + int64(header.Phentsize)*int64(header.Phnum)
	for _, s := range p.Progs {
		end = max(end, int64(s.Off+s.Filesz))
	}
	header.Shoff, header.Shnum, header.Shstrndx = 0, 0, 0
	var out bytes.Buffer
	if err := binary.Write(&out, p.ByteOrder, header); err != nil {
		return err
	}
	if _, err := f.WriteAt(out.Bytes(), 0); err != nil {
		return err
	}
	return errors.Join(f.Truncate(end), f.Close())
}
