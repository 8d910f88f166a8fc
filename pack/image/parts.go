package image

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"piwork/pack"
	"piwork/pack/image/disk"
	"piwork/pack/tools"
)

// overlayDir has files of the guest's root, in the checkout.
const overlayDir = "pack/guest/rootfs"

// parts makes all parts and puts them together.
func (b *builder) parts(ctx context.Context) (Result, error) {
	store := b.store
	toolDir, err := b.part(ctx, setTools, []string{setTools}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		r := relocation{platform: b.host, programs: toolPrograms}
		return r.into(ctx, dir, scratch, b.locks[setTools], store)
	}))
	if err != nil {
		return Result{}, err
	}
	qemu, err := b.part(ctx, setQEMU, []string{setQEMU}, nil, b.scratch(func(ctx context.Context, dir, scratch string) error {
		r := relocation{platform: b.host, programs: []string{"usr/bin/qemu-system-" + b.guest.qemu}, files: map[string]string{}}
		for from, to := range qemuFirmware {
			r.files[from] = "share/" + to
		}
		return r.into(ctx, dir, scratch, b.locks[setQEMU], store)
	}))
	if err != nil {
		return Result{}, err
	}
	kernelDir, err := b.part(ctx, setKernel, []string{setKernel}, nil, func(ctx context.Context, dir string) error {
		return makeKernel(ctx, dir, b.locks[setKernel], store)
	})
	if err != nil {
		return Result{}, err
	}
	work, err := b.part(ctx, "work", nil, []any{path.Base(toolDir), b.timeOf(setTools)}, b.scratch(func(ctx context.Context, dir, scratch string) error {
		w := disk.Work{Size: workSize, Time: b.timeOf(setTools), Mke2fs: relocatedCommand(toolDir, b.host, "mke2fs")}
		return w.Make(ctx, filepath.Join(dir, path.Base(workPath)), scratch)
	}))
	if err != nil {
		return Result{}, err
	}
	rootDir, err := b.rootfs(ctx, toolDir)
	if err != nil {
		return Result{}, err
	}
	agent, initramfs, err := b.initramfs(ctx, kernelDir)
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(filepath.Dir(agent))
	licences, err := b.licences(ctx, agent, map[string]string{setGuest: rootDir, setKernel: kernelDir, setQEMU: qemu})
	if err != nil {
		return Result{}, err
	}
	files := map[string]string{
		kernelPath:    filepath.Join(kernelDir, vmlinuxFile),
		initramfsPath: filepath.Join(initramfs, path.Base(initramfsPath)),
		rootfsPath:    filepath.Join(rootDir, path.Base(rootfsPath)),
		workPath:      filepath.Join(work, path.Base(workPath)),
	}
	for part, at := range map[string]string{qemu: "qemu", licences: ""} {
		if err := listInto(files, part, at); err != nil {
			return Result{}, err
		}
	}
	return b.assemble(ctx, files, []string{qemu, kernelDir, initramfs, rootDir, work, licences}, licences)
}

// scratch gives a part an empty directory for what lies between.
func (b *builder) scratch(make func(ctx context.Context, dir, scratch string) error) func(context.Context, string) error {
	return func(ctx context.Context, dir string) error {
		scratch, err := os.MkdirTemp(filepath.Join(b.CacheDir, "parts"), ".making-scratch-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(scratch)
		return make(ctx, dir, scratch)
	}
}

func (b *builder) rootfs(ctx context.Context, toolDir string) (string, error) {
	overlay := os.DirFS(filepath.Join(b.SourceDir, filepath.FromSlash(overlayDir)))
	hash, err := treeHash(overlay)
	if err != nil {
		return "", fmt.Errorf("%s: %w", overlayDir, err)
	}
	if hash == "" {
		overlay = nil
	}
	return b.part(ctx, "rootfs", []string{setGuest}, []any{path.Base(toolDir), hash}, b.scratch(func(ctx context.Context, dir, scratch string) error {
		r := rootfs{
			lock: b.locks[setGuest], store: b.store, overlay: overlay, time: b.timeOf(setGuest), log: b.log,
			mkfs: relocatedCommand(toolDir, b.host, "mkfs.erofs"),
		}
		return r.into(ctx, dir, scratch)
	}))
}

// initramfs returns the guest's program, in a directory of its own, and the
// part.
func (b *builder) initramfs(ctx context.Context, kernelDir string) (agent, part string, err error) {
	dir, err := os.MkdirTemp(filepath.Join(b.CacheDir, "parts"), ".making-agent-")
	if err != nil {
		return "", "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	agent = filepath.Join(dir, "piwork-guest")
	if err := buildAgent(ctx, b.SourceDir, b.guest.goarch, agent); err != nil {
		return "", "", err
	}
	hash, err := fileHash(agent)
	if err != nil {
		return "", "", err
	}
	t := b.timeOf(setKernel)
	part, err = b.part(ctx, "initramfs", nil, []any{path.Base(kernelDir), hash, t}, func(_ context.Context, dir string) error {
		return makeInitramfs(dir, kernelDir, agent, t)
	})
	return agent, part, err
}

func (b *builder) licences(ctx context.Context, agent string, dirs map[string]string) (string, error) {
	modules, err := agentModules(ctx, b.SourceDir, agent)
	if err != nil {
		return "", err
	}
	inputs := []any{modules}
	var sets []shippedSet
	names := []string{setGuest, setKernel, setQEMU}
	for _, s := range names {
		used, err := readUsed(dirs[s])
		if err != nil {
			return "", err
		}
		inputs = append(inputs, used)
		sets = append(sets, shippedSet{used: used})
	}
	list, err := toolList(b.locks[setGuest], tools.Catalogue())
	if err != nil {
		return "", err
	}
	inputs = append(inputs, list)
	return b.part(ctx, "licences", names, inputs, func(ctx context.Context, dir string) error {
		for i, s := range names {
			sets[i].lock = b.locks[s]
		}
		if err := makeLicences(ctx, dir, sets, modules, b.store); err != nil {
			return err
		}
		list, err := toolList(b.locks[setGuest], tools.Catalogue())
		if err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, toolsPath), list)
	})
}

// listInto adds the files of a part to what goes into the pack, below a
// directory. What a part keeps for the build alone stays out.
func listInto(files map[string]string, part, at string) error {
	return filepath.WalkDir(part, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(part, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if name == usedFile || name == licencesFile {
			return nil
		}
		files[path.Join(at, name)] = file
		return nil
	})
}

// header is the manifest without files.
func (b *builder) header(licences, content string) (pack.Manifest, error) {
	m := pack.Manifest{
		Name: "piwork-runtime", Version: b.Version, HostOS: b.HostOS, HostArch: b.HostArch, GuestArch: b.guest.qemu,
		RequiresApp: ">=" + Version, Built: b.timeOf(setGuest, setKernel, setQEMU, setTools),
	}
	if m.Version == "" {
		m.Version = Version + "-dev.k" + content[:12]
	}
	m.Layers = layers(strings.ToLower(m.Version))
	var err error
	if m.Tools, err = toolList(b.locks[setGuest], tools.Catalogue()); err != nil {
		return m, err
	}
	data, err := os.ReadFile(filepath.Join(licences, licencesFile))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(data, &m.Licences)
}
