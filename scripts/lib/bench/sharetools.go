package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/image/debian"
	"piwork/pack/image/kernel"
)

// The file servers that the share is compared with are Debian's, of the same
// release as the pack's QEMU, and in the same process of it as ours.
const (
	shareSuite = "trixie"
	shareQEMU  = "qemu-system-x86"
	shareFSD   = "virtiofsd"
)

// shareTools are what the machine of the share is made of.
type shareTools struct {
	root     string // where Debian's packages are unpacked
	versions string // of QEMU and virtiofsd
	kernel   string // the pack's, with the transport that QEMU's own 9p needs
}

// comparatorTools returns them from the build cache, where they are kept for
// each list of versions; remove the directory share there for newer ones.
func comparatorTools(ctx context.Context, cache string) (shareTools, error) {
	dir := filepath.Join(cache, "share")
	t := shareTools{root: filepath.Join(dir, "root")}
	note := filepath.Join(dir, "versions")
	v, err := os.ReadFile(note)
	if errors.Is(err, fs.ErrNotExist) {
		if v, err = t.unpackAll(ctx, dir); err == nil {
			err = os.WriteFile(note, v, 0o644) // last: everything is there
		}
	}
	if err != nil {
		return t, fmt.Errorf("fetch Debian's QEMU: %w", err)
	}
	t.versions = string(v)
	t.kernel, err = shareKernel(ctx, cache)
	return t, err
}

func (t shareTools) unpackAll(ctx context.Context, dir string) ([]byte, error) {
	fmt.Fprintln(os.Stderr, "fetching Debian's QEMU")
	found, store, err := fetchDebian(ctx, dir, shareSuite, []string{shareQEMU, shareFSD}, nil)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(t.root); err != nil {
		return nil, err
	}
	var versions []string
	for _, p := range found {
		if err := unpack(ctx, store.Path(p), t.root); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if p.Name == shareQEMU || p.Name == shareFSD {
			versions = append(versions, p.Name+" "+p.Version)
		}
	}
	slices.Sort(versions)
	return []byte(strings.Join(versions, ", ")), nil
}

// fetchDebian fetches what an installation of some packages on an empty machine
// would bring, as far as keep wants it, from the machine's own mirrors.
func fetchDebian(ctx context.Context, dir, suite string, want []string, keep func(debian.Package) bool) ([]debian.Package, *debian.Store, error) {
	mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
	if err != nil {
		return nil, nil, err
	}
	apt, err := debian.NewApt(filepath.Join(dir, "apt"), suite, "amd64", mirrors)
	if err != nil {
		return nil, nil, err
	}
	if err := apt.Update(ctx); err != nil {
		return nil, nil, err
	}
	found, err := apt.Resolve(ctx, want)
	if err != nil {
		return nil, nil, err
	}
	if keep != nil {
		found = slices.DeleteFunc(found, func(p debian.Package) bool { return !keep(p) })
	}
	store, err := debian.OpenStore(filepath.Join(dir, "packages"))
	if err != nil {
		return nil, nil, err
	}
	return found, store, store.Fetch(ctx, apt, found, nil)
}

// wanted are the files of packages that programs need to run.
var wanted = regexp.MustCompile(`^(usr/)?(lib|lib64|libexec)/|^usr/bin/qemu-system-x86_64$|^usr/share/(qemu|seabios)/`)

// unpack writes files of a package below root, where usr is merged.
func unpack(ctx context.Context, deb, root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	in, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer in.Close()
	return debian.Contents(ctx, deb, func(h *tar.Header, r io.Reader) error {
		if !wanted.MatchString(h.Name) {
			return nil
		}
		name := h.Name
		if !strings.HasPrefix(name, "usr/") {
			name = "usr/" + name
		}
		if err := in.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeSymlink:
			if path.IsAbs(h.Linkname) {
				return nil // alternatives and configuration, of which nothing here knows
			}
			return in.Symlink(h.Linkname, name)
		case tar.TypeReg:
			f, err := in.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(h.Mode)&0o777)
			if err != nil {
				return err
			}
			_, err = io.Copy(f, r)
			return errors.Join(err, f.Close())
		}
		return nil
	})
}

// command is a program of Debian's with its own libraries.
func (t shareTools) command(program string) []string {
	lib := filepath.Join(t.root, "usr/lib/x86_64-linux-gnu")
	return []string{filepath.Join(t.root, "usr/lib64/ld-linux-x86-64.so.2"), "--library-path", lib + ":" + filepath.Join(lib, "pulseaudio"), filepath.Join(t.root, program)}
}

func (t shareTools) env() []string {
	return append(os.Environ(), "QEMU_MODULE_DIR="+filepath.Join(t.root, "usr/lib/x86_64-linux-gnu/qemu"))
}

// shareTransport is the one thing that the guest's kernel lacks for QEMU's own
// 9p server: no piwork would use it.
const shareTransport = "CONFIG_NET_9P_VIRTIO=y\n"

// shareKernel returns the pack's kernel with it, built when the pack's changed.
func shareKernel(ctx context.Context, cache string) (string, error) {
	recipe, err := kernel.Hash("x86_64")
	if err != nil {
		return "", err
	}
	lock, err := debian.ReadLock("pack/image/lock/kernel-amd64.json")
	if err != nil {
		return "", err
	}
	digest := lock.Digest()
	dir := filepath.Join(cache, "share", "kernel-"+recipe[:16]+"-"+digest[:min(len(digest), 16)])
	image := filepath.Join(dir, kernel.ImageFile)
	if _, err := os.Stat(image); err == nil {
		return image, nil
	}
	fmt.Fprintln(os.Stderr, "building the guest's kernel with QEMU's 9p transport (about 6 minutes)")
	mirrors, err := debian.FindMirrors(os.Getenv, os.DirFS("/etc/apt"))
	if err != nil {
		return "", err
	}
	apt, err := debian.NewApt(filepath.Join(cache, "share", "kernel-apt"), lock.Suite, lock.Architecture, mirrors)
	if err != nil {
		return "", err
	}
	store, err := debian.OpenStore(filepath.Join(cache, "debs")) // which the pack's kernel filled
	if err != nil {
		return "", err
	}
	if err := store.Fetch(ctx, apt, lock.Packages, nil); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(cache, "share-kernel")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	made := filepath.Join(scratch, "made")
	work := filepath.Join(scratch, "work")
	if err := errors.Join(os.Mkdir(made, 0o755), os.Mkdir(work, 0o755)); err != nil {
		return "", err
	}
	if err := kernel.Build(ctx, kernel.Options{Guest: "x86_64", Lock: lock, Store: store, Time: lock.Time, Scratch: work, More: shareTransport}, made); err != nil {
		return "", err
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(made, dir)); err != nil {
		return "", err
	}
	return image, nil
}
