package image

import (
	"context"
	"path/filepath"
	"strings"

	"piwork/pack/image/kernel"
	"piwork/pack/image/qemu"
	"piwork/pack/spec"
)

// maker makes what differs between the flavours of a pack: kernel and QEMU. What stock
// cannot do, each an ability that the manifest answers for (spec.Abilities):
//
//	what stock cannot do           what happens instead              held by
//	several processors in slow     a machine has one                 TestLimits, TestTopology (own)
//	mode: QEMU aborts (patch)      (EmulatedProcessors)
//	give back private memory       a restored machine keeps what     TestLimits, TestRestoreForReal/
//	(patch)                        it changed of its template's      memory_comes_back (own)
//	                               memory (PrivateMemory)
//	a 9p device whose server is    folders are virtio-fs or not      TestNoDeviceForReal (both),
//	elsewhere (3 patches), and a   shared at all (Device9P)          TestSharedWorkForReal and
//	client that is corrected for                                     TestClient (own)
//	it (4 patches)
//	no module, /dev/mem, kexec,    modules are loaded once, then     TestKernel (both; the whole
//	sysrq, BPF in the kernel       no more can be; kexec, sysrq,     list own)
//	                               BPF for users are switched off;
//	                               /dev/mem is root's, and nobody
//	                               is root (SmallMachine)
//	one static QEMU with 20        60 libraries, hundreds of         TestStaticForReal,
//	devices                        devices that no command line      TestAbilitiesForReal (own)
//	                               names; the sandbox is the same
//	                               (SmallMachine)
//	half the size, half the boot   a larger download, a slower cold  ./scripts/bench (own)
//	                               boot; a restored machine is as
//	                               fast (SmallMachine)
//	Windows, macOS, arm64          refused, by name                  TestCheckFlavour
type maker interface {
	// kernelSet and emulatorSets name the sets of packages that kernel and QEMU are
	// made from.
	kernelSet() string
	emulatorSets() []string

	// kernel makes the part with the guest's kernel: kernel.ImageFile, modules (see
	// kernelModules), usedFile.
	kernel(context.Context) (string, error)

	// emulator makes the part with QEMU: qemu.FilesDir, usedFile.
	emulator(context.Context) (string, error)

	// shipped says whose files are in the two parts, and on what terms.
	shipped(kernelDir, emulator string) ([]shippedSet, error)
}

// maker is that of the builder's flavour.
func (b *builder) maker() maker {
	if b.Flavour == spec.FlavourStock {
		return stockMaker{b}
	}
	return ownMaker{b}
}

// flavoured names a part that differs between flavours, or is made of such. The
// cache keeps only some parts of each name, and both flavours are in use at once.
func (b *builder) flavoured(part string) string {
	if b.Flavour == spec.FlavourStock {
		return part + "." + string(b.Flavour)
	}
	return part
}

// manifestFlavour is what manifests say of the flavour: nothing when it is own, as
// before there was another.
func manifestFlavour(f spec.Flavour) spec.Flavour {
	if f == spec.FlavourOwn {
		return ""
	}
	return f
}

// ownMaker builds kernel and QEMU from source.
type ownMaker struct{ b *builder }

func (m ownMaker) kernelSet() string      { return kernelSet(m.b.guest) }
func (m ownMaker) emulatorSets() []string { return qemuSets(m.b.qemu) }

func (m ownMaker) shipped(kernelDir, emulator string) ([]shippedSet, error) {
	all, err := m.b.shipped(map[string]string{
		m.kernelSet(): kernelDir, qemuSet(m.b.qemu): emulator, sysrootSet: filepath.Join(emulator, sysrootPart),
	})
	if err != nil {
		return nil, err
	}
	for i := range all {
		switch all[i].lock.Set {
		case qemuSet(m.b.qemu):
			all[i].terms, all[i].recipe = filepath.Join(emulator, qemu.LicenceDir), "pack/image/qemu/recipe"
			files, err := m.b.qemu.Recipe()
			if err != nil {
				return nil, err
			}
			all[i].changes, all[i].build = recipeInPack(files, "qemu")
		case m.kernelSet():
			all[i].recipe = kernelRecipe
			if all[i].changes, err = kernelChanges(kernelDir); err != nil {
				return nil, err
			}
			files, err := kernel.Recipe(m.b.guest.qemu)
			if err != nil {
				return nil, err
			}
			_, all[i].build = recipeInPack(files, "linux") // of its patches some may be left out
		}
	}
	return all, nil
}

// recipeInPack gives the files of a recipe their places in a pack: our patches, and
// configurations and scripts.
func recipeInPack(files map[string][]byte, name string) (changes, build map[string][]byte) {
	changes, build = map[string][]byte{}, map[string][]byte{}
	for file, text := range files {
		file = strings.TrimPrefix(file, "recipe/")
		if patch, ok := strings.CutPrefix(file, "patches/"); ok {
			changes["licenses/"+name+"/changes/"+patch] = text
			continue
		}
		build["licenses/"+name+"/build/"+file] = text
	}
	return changes, build
}
