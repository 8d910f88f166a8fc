package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cavaliergopher/cpio"
	"github.com/klauspost/compress/zstd"

	"piwork/pack/guest/boot"
	"piwork/pack/image/debian"
	"piwork/pack/image/internal/elftest"
	"piwork/pack/image/kernel"
	"piwork/pack/image/qemu"
	"piwork/pack/spec"
)

// TestCheckFlavour: who asks for a pack that there cannot be hears which there is.
func TestCheckFlavour(t *testing.T) {
	for _, tt := range []struct {
		flavour  spec.Flavour
		os, arch string
		fails    string
	}{
		{spec.FlavourOwn, "windows", "amd64", ""}, {spec.FlavourOwn, "linux", "arm64", ""}, {spec.FlavourStock, "linux", "amd64", ""},
		{spec.FlavourStock, "windows", "amd64", "linux/amd64 only"}, {spec.FlavourStock, "darwin", "arm64", "linux/amd64 only"},
		{spec.FlavourStock, "linux", "arm64", "linux/amd64 only"}, {"other", "linux", "amd64", "there is: own, stock"},
	} {
		err := checkFlavour(tt.flavour, qemu.Target{OS: tt.os, Arch: tt.arch})
		if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s for %s/%s: %v", tt.flavour, tt.os, tt.arch, err)
		}
	}
	if _, err := newBuilder(Options{HostOS: "windows", HostArch: "amd64", Flavour: spec.FlavourStock, SourceDir: "../..", CacheDir: t.TempDir()}); err == nil {
		t.Error("a stock pack for Windows is built")
	}
}

// TestFlavoursAreApart: both flavours have the guest's packages and the tools in
// common, and none of the sets of kernel and QEMU; parts that differ have names of
// their own, so that neither flavour drives the other's out of the cache.
func TestFlavoursAreApart(t *testing.T) {
	names := map[spec.Flavour][]string{}
	parts := map[string]bool{}
	for _, f := range []spec.Flavour{spec.FlavourOwn, spec.FlavourStock} {
		b, err := newBuilder(Options{HostOS: "linux", HostArch: "amd64", Flavour: f, SourceDir: "../..", CacheDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range b.sets {
			names[f] = append(names[f], s.name)
		}
		for _, s := range append(b.maker().emulatorSets(), b.maker().kernelSet()) {
			if !slices.Contains(names[f], s) {
				t.Errorf("%s: no set %s in %q", f, s, names[f])
			}
		}
		for _, part := range []string{"rootfs", "initramfs", "pack"} {
			if parts[b.flavoured(part)] {
				t.Errorf("%s has no name of its own in the flavour %s", part, f)
			}
			parts[b.flavoured(part)] = true
		}
	}
	for _, n := range names[spec.FlavourStock] {
		if both := slices.Contains(names[spec.FlavourOwn], n); both != (n == setGuest || n == setTools) {
			t.Errorf("the set %s is in both: %v", n, both)
		}
	}
}

// Of all that a question for the kernel finds, the kernel alone is kept.
func TestStockKernelSet(t *testing.T) {
	for name, want := range map[string]bool{
		"linux-image-6.12.1+deb13-amd64": true, "linux-image-amd64": false, "linux-image-": false, "initramfs-tools": false,
	} {
		if isKernel(debian.Package{Name: name}) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
	l, err := debian.ReadLock(stockQuestions(rooms)[0].file("../.."))
	if err != nil || len(l.Packages) != 1 || !isKernel(l.Packages[0]) {
		t.Fatalf("%+v %v", l, err)
	}
	// Its source package has signatures only; what is offered is what they are for.
	p := unsigned(l.Packages[0])
	if p.Source != "linux" || p.SourceVersion != p.Version || !strings.HasSuffix(filepath.Dir(p.Path), "/l/linux") {
		t.Errorf("%+v", p)
	}
	if other := (debian.Package{Source: "linux", SourceVersion: "1", Version: "2", Path: "pool/x/a.deb"}); unsigned(other) != other {
		t.Errorf("%+v", unsigned(other))
	}
}

// bzImage wraps a kernel as Debian's build does.
func bzImage(t *testing.T, vmlinux []byte) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	payload := binary.LittleEndian.AppendUint32(w.EncodeAll(vmlinux, nil), uint32(len(vmlinux)))
	b := make([]byte, 1024)
	b[0x1f1] = 1
	copy(b[0x1fe:], "\x55\xaa\x00\x00HdrS\x0f\x02")
	binary.LittleEndian.PutUint32(b[0x24c:], uint32(len(payload)))
	return string(append(b, payload...))
}

// TestUnpackKernel: of a kernel's package come the kernel that QEMU starts, and an
// initramfs whose list the guest understands.
func TestUnpackKernel(t *testing.T) {
	vmlinux := elftest.File{Notes: elftest.Note("Xen", 18, make([]byte, 8))}.Bytes()
	ko := func(depends string) string {
		return string(elftest.File{Sections: map[string][]byte{".modinfo": []byte("depends=" + depends + "\x00")}}.Bytes())
	}
	const tree = "usr/lib/modules/6/"
	files := map[string]string{
		"boot/vmlinuz-6":         bzImage(t, vmlinux),
		tree + "modules.builtin": "kernel/drivers/virtio/virtio_pci.ko\nkernel/drivers/char/virtio_console.ko\n",
	}
	for _, name := range stockLateModules {
		files[tree+"kernel/x/"+strings.ReplaceAll(name, "_", "-")+".ko"] = ko("")
	}
	files[tree+"kernel/x/erofs.ko"], files[tree+"kernel/x/lib.ko"], files[tree+"kernel/x/unused.ko"] = ko("lib"), ko(""), ko("")
	s, err := debian.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, out := t.TempDir(), t.TempDir()
	l := debs(t, s, setStockKernel, map[string]map[string]string{"aa": files})
	if err := unpackKernel(t.Context(), dir, l, s); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, kernel.ImageFile)); err != nil || !bytes.Equal(got, vmlinux) {
		t.Errorf("%d bytes of a kernel, %v", len(got), err)
	}
	if used, err := readUsed(dir); err != nil || !slices.Equal(used, []string{"aa"}) {
		t.Errorf("%q %v", used, err)
	}
	writeFiles(t, out, map[string]string{"agent": "program"})
	if err := makeInitramfs(out, dir, filepath.Join(out, "agent"), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(out, filepath.Base(initramfsPath)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content := map[string]string{}
	for r := cpio.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		content[h.Name] = string(data)
	}
	o, err := boot.ParseModuleOrder(content["modules/order"])
	if err != nil || len(o.Early) != 0 || len(o.Late) != len(stockLateModules)+1 || slices.Index(o.Late, "lib.ko") > slices.Index(o.Late, "erofs.ko") {
		t.Errorf("%+v, %v", o, err)
	}
	for _, name := range o.Late {
		if content["modules/"+name] == "" {
			t.Errorf("no %s", name)
		}
	}
	if content["init"] != "program" || content["modules/unused.ko"] != "" {
		t.Errorf("init %q; a module that nobody asked for: %v", content["init"], content["modules/unused.ko"] != "")
	}

	// A kernel that was built here has no modules.
	own := t.TempDir()
	for _, list := range []string{earlyFile, lateFile} {
		if modules, err := readModules(own, list); err != nil || len(modules) != 0 {
			t.Errorf("%s: %d modules, %v", list, len(modules), err)
		}
	}
	delete(files, "boot/vmlinuz-6")
	if err := unpackKernel(t.Context(), t.TempDir(), debs(t, s, setStockKernel, map[string]map[string]string{"aa": files}), s); err == nil || !strings.Contains(err.Error(), "no image") {
		t.Errorf("without a kernel: %v", err)
	}
}

// TestRelocation: programs come with the libraries and the loader that they need,
// files where they are wanted, and whose all of it is.
func TestRelocation(t *testing.T) {
	s, err := debian.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lib := "usr/lib/" + rooms.triplet + "/"
	loader := "usr/" + rooms.loader
	l := debs(t, s, setStockQEMU, map[string]map[string]string{
		"aa": {"usr/bin/p": string(elftest.File{Interp: "/" + rooms.loader, Needed: []string{"liba.so.1"}}.Bytes())},
		"bb": {
			lib + "liba.so.1": "→liba.so.1.2", lib + "liba.so.1.2": string(elftest.File{}.Bytes()), lib + "other.so": string(elftest.File{}.Bytes()),
			loader: string(elftest.File{}.Bytes()),
		},
		"cc": {"usr/share/seabios/bios.bin": "firmware", "usr/share/seabios/more": "x"},
	})
	dir := t.TempDir()
	r := relocation{platform: rooms, programs: []string{"usr/bin/p"}, files: map[string]string{stockFirmware("bios.bin"): "share/bios.bin"}}
	used, err := r.into(t.Context(), dir, t.TempDir(), l, s)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range readFiles(t, dir) {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"bin/p", "lib/" + filepath.Base(rooms.loader), "lib/liba.so.1", "share/bios.bin"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if !slices.Equal(used, []string{"aa", "bb", "cc"}) {
		t.Errorf("used %q", used)
	}
	if err := qemu.CheckNames(filepath.Join(dir, "bin/p"), qemu.Target{OS: "linux", Arch: "amd64", Guest: "x86_64"}); err == nil {
		t.Error("a program without devices is taken for QEMU")
	}
}
