package image

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"piwork/pack/durable"
	"piwork/pack/image/debian"
	"piwork/pack/image/root"
	"piwork/pack/spec"
	"piwork/pack/tools"
)

// AddOns are the names of the add-ons that can be built.
func AddOns() []string {
	var names []string
	for _, a := range addOns {
		names = append(names, a.name)
	}
	return names
}

func findAddOn(name string) (addOn, error) {
	for _, a := range addOns {
		if a.name == name {
			return a, nil
		}
	}
	return addOn{}, fmt.Errorf("no add-on %q (there is: %s)", name, strings.Join(AddOns(), ", "))
}

// layerPath is where the image of an add-on is in its pack.
func layerPath(name string) string { return "guest/" + name + ".img" }

// set of an add-on over the guest's packages.
func (a addOn) set(guest platform, base *debian.Lock) set {
	without := slices.DeleteFunc(slices.Concat(guestWithout, a.without), func(p string) bool { return slices.Contains(a.with, p) })
	return set{name: "addon-" + a.name, arch: guest.debian, want: a.want, without: without, over: base}
}

// baseKeeps says of which files the base's is right under every layer: lists
// that every installation writes anew. Libraries of a layer are found without
// the cache (ld.so(8) looks into the default directories last), accounts of its
// packages and its entries in the desktop's list of kinds of files are not used,
// and its packages are listed one by one in status.d.
func baseKeeps(name string) bool {
	switch name {
	case "etc/ld.so.cache", "etc/passwd", "etc/group", "etc/shadow", "etc/gshadow", "etc/subuid", "etc/subgid", "etc/shells",
		"var/lib/dpkg/status", "var/lib/dpkg/diversions", "var/lib/dpkg/statoverride":
		return true
	}
	return strings.HasPrefix(name, "var/lib/dpkg/triggers/") || strings.HasPrefix(name, "usr/share/mime/")
}

// lockAddOns reads the locks of add-ons, which were made over that of the guest.
func (b *builder) lockAddOns() (err error) {
	for _, a := range b.addOns {
		s := a.set(b.guest, b.locks[setGuest])
		if len(a.npm) > 0 {
			if b.addOnNPM[a.name], err = a.readNPMLock(b.SourceDir, b.guest); err != nil {
				return err
			}
		}
		if len(a.want) == 0 { // no package of Debian: what the guest has is all there is
			b.locks[s.name] = &debian.Lock{Set: s.name, Suite: suite, Architecture: s.arch, Time: b.locks[setGuest].Time}
			continue
		}
		if b.locks[s.name], err = b.packages.lock(s); err != nil {
			return err
		}
	}
	return nil
}

// lay writes the add-on's own programs below dir.
func (a addOn) lay(dir string) ([]fs.FS, error) {
	for name, script := range a.adds {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(script), 0o755)); err != nil {
			return nil, err
		}
	}
	if len(a.adds) == 0 {
		return nil, nil
	}
	return []fs.FS{os.DirFS(dir)}, nil
}

// layer makes the image of an add-on over the base in baseDir.
func (b *builder) layer(ctx context.Context, a addOn, toolDir, baseDir string) (string, error) {
	recipe, err := sourceHash(slices.Concat([]string{"addon.go"}, guestSources, bootstrapSources)...)
	if err != nil {
		return "", err
	}
	overlays, keys, err := b.overlays(ctx)
	if err != nil {
		return "", err
	}
	base, err := durable.SHA256(filepath.Join(baseDir, treeFile)) // all of the base that matters here
	if err != nil {
		return "", err
	}
	s := a.set(b.guest, b.locks[setGuest])
	programs, err := a.programs(ctx, b)
	if err != nil {
		return "", err
	}
	keys = append(keys, guestRecipe{guestUser, guestDirs, guestContent}, a.drop, a.adds, path.Base(toolDir), base)
	if programs != "" {
		overlays, keys = append(overlays, os.DirFS(programs)), append(keys, path.Base(programs))
	}
	return b.compiled(ctx, "addon."+a.name, recipe, []string{setGuest, s.name}, keys, b.scratch(func(ctx context.Context, dir, scratch string) error {
		tree, err := readTree(baseDir)
		if err != nil {
			return err
		}
		added, err := a.lay(filepath.Join(scratch, "added"))
		if err != nil {
			return err
		}
		l, archive := b.locks[s.name], filepath.Join(scratch, "root.tar")
		status, err := b.installed(ctx, l, archive, filepath.Join(dir, bootstrapLog))
		if err != nil {
			return err
		}
		r := rootfs{
			brings: l, overlays: append(slices.Clone(overlays), added...), time: b.timeOf(setGuest, s.name), log: b.log,
			mkfs: relocatedCommand(toolDir, rooms, "mkfs.erofs"), image: path.Base(layerPath(a.name)), base: &tree, status: status, drop: a.leavesOut,
		}
		return r.into(ctx, dir, scratch, archive)
	}))
}

// installed writes the guest's packages and those of an add-on to a tar archive, and returns
// dpkg's list of them; where the add-on has none, those of the guest as they are.
func (b *builder) installed(ctx context.Context, l *debian.Lock, archive, logFile string) ([]byte, error) {
	if len(l.Packages) > 0 {
		return b.installation(debian.Join(b.locks[setGuest], l), setGuest, l.Set).into(ctx, archive, logFile)
	}
	dir, err := b.bootstrap(ctx)
	if err != nil {
		return nil, err
	}
	return nil, decompress(archive, filepath.Join(dir, bootstrapFile))
}

// addOn makes what the pack of an add-on consists of, over a finished base.
func (b *builder) addOn(ctx context.Context, a addOn, toolDir, rootDir string, base spec.Manifest) (Result, error) {
	dir, err := b.layer(ctx, a, toolDir, rootDir)
	if err != nil {
		return Result{}, err
	}
	set := "addon-" + a.name
	c := contents{
		name: spec.AddOnPrefix + a.name, hostOS: spec.AnyHost, hostArch: spec.AnyHost, version: base.Version,
		sets: []string{set}, extra: []string{setGuest, setTools},
		files: map[string]string{layerPath(a.name): filepath.Join(dir, path.Base(layerPath(a.name)))},
		parts: []string{dir},
	}
	used, err := readUsed(dir)
	if err != nil {
		return Result{}, err
	}
	// Terms may be links to those of a package in the base.
	c.shipped = []shippedSet{{lock: debian.Join(b.locks[setGuest], b.locks[set]), used: used}}
	if l := b.addOnNPM[a.name]; l != nil {
		c.npm, c.holds = l.Packages, a.held(l)
	}
	if c.tools, err = addOnTools(a, b.locks[set], b.addOnNPM[a.name], tools.Catalogue()); err != nil {
		return Result{}, err
	}
	v, err := verityOf(dir)
	if err != nil {
		return Result{}, err
	}
	c.layer = spec.Layer{Name: a.name, Path: layerPath(a.name), Base: base.BaseRoot(), Verity: v}
	return b.assemble(ctx, c)
}

func readTree(dir string) (root.Tree, error) {
	f, err := os.Open(filepath.Join(dir, treeFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := root.DecodeTree(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", treeFile, err)
	}
	return t, nil
}

func writeTree(dir string, t root.Tree) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, treeFile), data, 0o644)
}
