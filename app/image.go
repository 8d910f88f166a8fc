package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"piwork/pack"
	"piwork/vmhost/qemu"
)

// ImageOf turns an installed pack into what a virtual machine is started from.
// It looks at the manifest only.
func ImageOf(in *pack.Installed) (qemu.Image, error) {
	img := qemu.Image{Arch: in.Manifest.GuestArch, ID: in.ManifestSHA256, Env: []string{"LC_ALL=C"}}
	for role, into := range map[pack.Role]*string{
		pack.RoleKernel: &img.Kernel,
		pack.RoleInitrd: &img.Initrd,
		pack.RoleRootFS: &img.RootFS,
		pack.RoleWork:   &img.WorkBase,
	} {
		p, err := in.Path(role)
		if err != nil {
			return qemu.Image{}, fmt.Errorf("the pack in %s: %w", in.Dir, err)
		}
		*into = p
	}
	program, err := in.Path(pack.RoleQEMU)
	if err != nil {
		return qemu.Image{}, fmt.Errorf("the pack in %s: %w", in.Dir, err)
	}
	img.Program = []string{program}
	if loaders := in.Paths(pack.RoleQEMULoader); len(loaders) > 0 {
		loader, err := in.Path(pack.RoleQEMULoader)
		if err != nil {
			return qemu.Image{}, fmt.Errorf("the pack in %s: %w", in.Dir, err)
		}
		// ld.so(8): only the pack's own libraries, not those that this
		// computer's cache names.
		img.Program = []string{loader, "--inhibit-cache", "--library-path", libraryPath(in.Paths(pack.RoleQEMULib), loader), program}
	}
	if modules := in.Paths(pack.RoleQEMUModule); len(modules) > 0 {
		img.Env = append(img.Env, "QEMU_MODULE_DIR="+filepath.Dir(modules[0]))
	}
	if firmware := in.Paths(pack.RoleFirmware); len(firmware) > 0 {
		img.DataDir = commonDir(firmware)
	}
	for _, l := range in.Manifest.Layers {
		if l.Name == pack.BaseLayer {
			img.Verity = verityOf(l)
		}
	}
	return img, nil
}

// LayerOf turns an installed add-on into what is laid over the root image.
func LayerOf(in *pack.Installed) (qemu.Layer, error) {
	name, ok := in.Manifest.AddOn()
	if !ok || len(in.Manifest.Layers) != 1 || in.Manifest.Layers[0].Verity == nil {
		return qemu.Layer{}, fmt.Errorf("the pack in %s is no add-on", in.Dir)
	}
	file, err := in.Path(pack.RoleLayer)
	if err != nil {
		return qemu.Layer{}, fmt.Errorf("the add-on in %s: %w", in.Dir, err)
	}
	return qemu.Layer{Name: name, File: file, Verity: verityOf(in.Manifest.Layers[0])}, nil
}

// verityOf is nil for a layer whose image is not protected block by block, as
// packs of the first versions have it.
func verityOf(l pack.Layer) *qemu.Verity {
	if l.Verity == nil {
		return nil
	}
	return &qemu.Verity{RootHash: l.Verity.RootHash, Salt: l.Verity.Salt, DataBlocks: l.Verity.DataBlocks}
}

// libraryPath lists the directories of libraries, each once, in order.
func libraryPath(libs []string, loader string) string {
	dirs := []string{filepath.Dir(loader)}
	for _, l := range libs {
		if d := filepath.Dir(l); d != dirs[len(dirs)-1] {
			dirs = append(dirs, d)
		}
	}
	return strings.Join(dirs, ":")
}

// commonDir returns the deepest directory that has all of the files in it.
func commonDir(files []string) string {
	dir := filepath.Dir(files[0])
	for _, f := range files[1:] {
		for !contains(dir, f) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}
