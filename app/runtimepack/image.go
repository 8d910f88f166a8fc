package runtimepack

import (
	"fmt"

	"piwork/pack"
	"piwork/pack/spec"
	"piwork/vmhost/qemu"
)

// ImageOf turns an installed pack into what a virtual machine is started from.
// It looks at the manifest only.
func ImageOf(in *pack.Installed) (qemu.Image, error) {
	img := qemu.Image{Arch: in.Manifest.GuestArch, ID: in.ManifestSHA256, Limits: limitsOf(in.Manifest.Abilities())}
	for role, into := range map[spec.Role]*string{
		spec.RoleKernel: &img.Kernel,
		spec.RoleInitrd: &img.Initrd,
		spec.RoleRootFS: &img.RootFS,
		spec.RoleWork:   &img.WorkBase,
	} {
		p, err := in.Path(role)
		if err != nil {
			return qemu.Image{}, fmt.Errorf("the pack in %s: %w", in.Dir, err)
		}
		*into = p
	}
	emulator, err := in.Emulator()
	if err != nil {
		return qemu.Image{}, fmt.Errorf("the pack in %s: %w", in.Dir, err)
	}
	img.Program, img.Env, img.DataDir = emulator.Command, emulator.Env, emulator.DataDir
	for _, l := range in.Manifest.Layers {
		if l.Name == spec.BaseLayer {
			img.Verity = verityOf(l)
		}
	}
	return img, nil
}

// limitsOf are what machines of a pack must do without.
func limitsOf(a spec.Abilities) qemu.Limits {
	return qemu.Limits{OneEmulatedCPU: !a.EmulatedProcessors, KeepsPrivateMemory: !a.PrivateMemory, No9PDevice: !a.Device9P}
}

// LayerOf turns an installed add-on into what is laid over the root image.
func LayerOf(in *pack.Installed) (qemu.Layer, error) {
	name, ok := in.Manifest.AddOn()
	if !ok || len(in.Manifest.Layers) != 1 || in.Manifest.Layers[0].Verity == nil {
		return qemu.Layer{}, fmt.Errorf("the pack in %s is no add-on", in.Dir)
	}
	file, err := in.Path(spec.RoleLayer)
	if err != nil {
		return qemu.Layer{}, fmt.Errorf("the add-on in %s: %w", in.Dir, err)
	}
	return qemu.Layer{Name: name, File: file, Verity: verityOf(in.Manifest.Layers[0])}, nil
}

// verityOf is nil for a layer whose image is not protected block by block, as
// packs of the first versions have it.
func verityOf(l spec.Layer) *qemu.Verity {
	if l.Verity == nil {
		return nil
	}
	return &qemu.Verity{RootHash: l.Verity.RootHash, Salt: l.Verity.Salt, DataBlocks: l.Verity.DataBlocks}
}
