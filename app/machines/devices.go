package machines

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"piwork/app/task"
	"piwork/vmhost"
	"piwork/vmhost/share"
	"piwork/vmhost/vm"
	"piwork/vmhost/wire"
)

// Folders reach a machine over 9p, which works everywhere with QEMU of our own, or as a
// device that sees its memory, which is faster (virtio-fs, below: the device). Unless a
// person chose, the device is used where it was proven: a machine was given one, mounted
// it and read in it what could not be guessed. That is done once in each boot of this
// computer for each runtime, by one machine beside what makes machines be there
// at once. Whatever fails at the time of use, the same machine is given its folders
// over 9p, and the device is not tried again until it is proven anew. A runtime
// that knows nothing but the device is not asked.

// DeviceServer serves the folders of a machine to a device of it.
type DeviceServer interface {
	ServeDevice(ctx context.Context, l net.Listener) error
}

// FolderServer serves folders over 9p, or to a device of a machine.
type FolderServer interface {
	DeviceServer
	Serve(ctx context.Context, conn io.ReadWriteCloser) error
	Close() error
}

// SharingRuntime is a runtime that says how its folders reach it: a wire.Kind…,
// and why they are not a device when they were to be one.
type SharingRuntime interface {
	Share() (kind string, why error)
}

// ShareProofs remember where a device was proven, for a boot of this computer.
type ShareProofs interface {
	Knows(what string) bool
	Learn(what string, holds bool) error
}

// deviceSharing decides how folders reach machines.
type deviceSharing struct {
	fleet *Fleet

	mu     sync.Mutex
	failed map[string]error // why it could not be proven, or failed since, by key
}

// share names what a proof depends on.
func (k factoryKey) share() string {
	return fmt.Sprintf("folders as a device: image %s, %s, %s, %d processors", k.image, k.accel, k.cpu, k.size.CPUs)
}

// possible reports whether this system has such devices at all.
func (f *deviceSharing) possible() bool { return f.fleet.o.Proofs != nil }

// chosen is the person's choice.
func (f *deviceSharing) chosen() ShareKind {
	if kind := f.fleet.o.Choice.Get().Share; kind != "" {
		return kind
	}
	return ShareAuto
}

// stands says how machines of a kind are given their folders.
func (f *deviceSharing) stands(k factoryKey) Share {
	if k.noOther {
		return Share{Kind: ShareVirtioFS, Reason: ShareOnly}
	}
	chosen := f.chosen()
	switch {
	case chosen == Share9P:
		return Share{Kind: Share9P, Reason: ShareChosen}
	case !f.possible():
		return Share{Kind: Share9P, Reason: ShareNotHere}
	case chosen == ShareVirtioFS:
		return Share{Kind: ShareVirtioFS, Reason: ShareChosen}
	}
	f.mu.Lock()
	why := f.failed[k.share()]
	f.mu.Unlock()
	switch {
	case why != nil:
		return Share{Kind: Share9P, Reason: ShareFailed, Detail: why.Error()}
	case f.fleet.o.Proofs.Knows(k.share()):
		return Share{Kind: ShareVirtioFS}
	}
	return Share{Kind: Share9P, Reason: ShareUntried}
}

// device is how a machine is given the folders of a share as a device: nothing where they
// go over 9p. open waits for the share, and ready until serve would answer at once.
func (f *deviceSharing) device(k factoryKey, open func() error, files func() DeviceServer) (serve func(context.Context, net.Listener) error, ready func() error) {
	if f.stands(k).Kind != ShareVirtioFS {
		return nil, nil
	}
	return func(ctx context.Context, l net.Listener) error {
		err := open()
		if d := files(); d != nil && err == nil {
			return d.ServeDevice(ctx, l)
		}
		return errors.Join(err, l.Close())
	}, open
}

// connected hears how the folders reached a machine.
func (f *deviceSharing) connected(k factoryKey, rt vmhost.Runtime) {
	if s, ok := rt.(SharingRuntime); ok && f.possible() {
		if kind, why := s.Share(); kind != wire.KindVirtioFS && why != nil {
			f.note(k, why)
		}
	}
}

// note remembers why a device is not used any more.
func (f *deviceSharing) note(k factoryKey, why error) {
	f.fleet.o.Log.Warn("folders are no device of machines from now on", "error", why)
	f.mu.Lock()
	if f.failed == nil {
		f.failed = map[string]error{}
	}
	f.failed[k.share()] = why
	f.mu.Unlock()
	if err := f.fleet.o.Proofs.Learn(k.share(), false); err != nil {
		f.fleet.o.Log.Warn("what did not work could not be noted", "error", err)
	}
}

// Again forgets what failed, so that it is tried again.
func (f *deviceSharing) Again() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = nil
}

// wanted reports whether it is to be found out if a device works.
func (f *deviceSharing) wanted(k factoryKey) bool {
	return f.chosen() == ShareAuto && f.stands(k).Reason == ShareUntried
}

// ShareTest is the directory of the machine that proves a device, in the cache
// directory.
const ShareTest = "share-test"

const closeProof = time.Minute // for the machine that proved a device

// prove has a machine of a factory read in a folder that is a device of it. When
// ctx ends first, nothing was found out.
func (f *deviceSharing) prove(ctx context.Context, b *basis, k factoryKey, from Factory) {
	err := f.read(ctx, b, k, from)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		f.note(k, err)
	default:
		if err := f.fleet.o.Proofs.Learn(k.share(), true); err != nil {
			f.note(k, fmt.Errorf("what was proven could not be noted: %w", err))
		}
	}
	f.fleet.tell()
}

// read is the proof itself.
func (f *deviceSharing) read(ctx context.Context, b *basis, k factoryKey, from Factory) (err error) {
	dir := filepath.Join(f.fleet.o.CacheDir, ShareTest)
	folder := filepath.Join(dir, "folder")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(folder, 0o700)); err != nil {
		return err
	}
	if folder, err = share.RealPath(folder); err != nil {
		return err
	}
	nonce := make([]byte, 32)
	if _, err := rand.Read(nonce); err != nil {
		return err
	}
	text := hex.EncodeToString(nonce)
	if err := os.WriteFile(filepath.Join(folder, "nonce"), []byte(text), 0o600); err != nil {
		return err
	}
	folders := []task.Folder{{ID: "1", Path: folder, Name: "folder", Mode: task.ModeReadOnly}}
	files, err := f.fleet.o.Share(folders)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	runDir, err := f.fleet.o.RunDirs.New()
	if err != nil {
		return err
	}
	place := wire.FoldersDir + "/folder"
	rt, err := from.Make(f.fleet.complete(vm.Config{
		Hardware: vm.Hardware{
			Image: b.machine.Pack.Image, Accel: b.machine.Proof.Accel, CPU: b.machine.Proof.CPU, BootTime: b.machine.Proof.Ready,
			MemoryMB: k.size.MemoryMB, CPUs: k.size.CPUs, PackVersion: k.version,
		},
		RunDir: runDir, Dir: filepath.Join(dir, "machine"), Env: vmhost.ExecutionEnv{
			OS: "linux", Sandbox: "vm", Network: vmhost.NetworkDeny, WorkspaceRoot: folder, ReadOnlyRoots: []string{folder},
		},
		Folders:     []vmhost.FolderInView{{Path: place, ReadOnly: true}},
		ServeFS:     func(ctx context.Context, conn io.ReadWriteCloser) error { return files.Serve(ctx, conn) },
		ServeDevice: files.ServeDevice,
	}))
	if err != nil {
		return err
	}
	defer func() {
		over, cancel := context.WithTimeout(f.fleet.grace, closeProof)
		defer cancel()
		err = errors.Join(err, rt.Close(over))
	}()
	if err := rt.Connect(ctx); err != nil {
		return err
	}
	s, ok := rt.(SharingRuntime)
	if !ok {
		return errors.New("the machine does not say how its folders reach it")
	}
	if kind, why := s.Share(); kind != wire.KindVirtioFS {
		return fmt.Errorf("the folders reached the machine over %s: %w", kind, why)
	}
	var said []byte
	_, err = rt.Execute(ctx, vmhost.Action{
		Exec:     &wire.ExecParams{ID: "share-test", Argv: []string{"cat", "--", place + "/nonce"}, Limits: wire.Limits{OutputBytes: 1 << 10}},
		OnOutput: func(o wire.ExecOutput) { said = append(said, o.Data...) },
	})
	if err == nil && string(said) != text {
		err = errors.New("the machine does not read what is in the folder")
	}
	return err
}
