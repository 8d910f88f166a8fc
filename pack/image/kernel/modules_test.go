package kernel

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"piwork/pack/image/internal/elftest"
)

// ko is a module that says this of itself.
func ko(info ...string) []byte {
	return elftest.File{Sections: map[string][]byte{".modinfo": []byte(strings.Join(info, "\x00") + "\x00")}}.Bytes()
}

// treeOf makes a tree of unpacked modules: "dir/name" → what it says.
func treeOf(builtin string, modules map[string][]string) Tree {
	t := Tree{Builtin: builtin}
	for p := range modules {
		t.Paths = append(t.Paths, "lib/modules/6/kernel/"+p+".ko")
	}
	slices.Sort(t.Paths)
	t.Read = func(p string) ([]byte, error) {
		p = strings.TrimSuffix(strings.TrimPrefix(p, "lib/modules/6/kernel/"), ".ko")
		return ko(modules[p]...), nil
	}
	return t
}

func TestOrder(t *testing.T) {
	const builtin = "kernel/drivers/virtio/virtio.ko\nkernel/drivers/virtio/virtio_pci.ko\nkernel/crypto/sha256_generic.ko\n"
	tree := treeOf(builtin, map[string][]string{
		"fs/9p/9p":              {"license=GPL", "depends=9pnet,netfs"},
		"net/9p/9pnet":          {"depends="},
		"net/9p/9pnet_fd":       {"depends=9pnet"},
		"fs/netfs/netfs":        {"depends="},
		"fs/erofs/erofs":        {"depends=libcrc32c"},
		"lib/libcrc32c":         {"depends=", "softdep=pre: crc32c"},
		"crypto/crc32c_generic": {"depends=", "alias=crypto-crc32c-generic", "alias=crypto-crc32c"},
		"fs/squashfs/squashfs":  {"depends=virtio"},
		"drivers/virtio-rng":    {"depends="},
		"fs/x/soft":             {"depends=", "softdep=pre: nothing-here sha256 post: netfs"},
		"loop/a":                {"depends=b"},
		"loop/b":                {"depends=a"},
		"broken/needs":          {"depends=absent"},
	})
	for name, c := range map[string]struct {
		wanted, order []string
		fails         string
	}{
		"dependencies first, each once": {wanted: []string{"9p", "9pnet_fd"}, order: []string{"9pnet.ko", "netfs.ko", "9p.ko", "9pnet_fd.ko"}},
		"built in":                      {wanted: []string{"virtio_pci", "squashfs"}, order: []string{"squashfs.ko"}},
		"soft dependency by alias":      {wanted: []string{"erofs"}, order: []string{"crc32c_generic.ko", "libcrc32c.ko", "erofs.ko"}},
		"dashes and underscores":        {wanted: []string{"virtio_rng"}, order: []string{"virtio-rng.ko"}},
		"soft dependencies that are not there, and those for later": {wanted: []string{"soft"}, order: []string{"soft.ko"}},
		"nothing":            {},
		"circle":             {wanted: []string{"a"}, fails: "a → b → a"},
		"missing":            {wanted: []string{"ext9"}, fails: "module ext9 is not"},
		"missing dependency": {wanted: []string{"needs"}, fails: "needs → absent is not"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tree.Order(c.wanted)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("error %v, want one with %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			for _, m := range got {
				order = append(order, m.File)
			}
			if !slices.Equal(order, c.order) {
				t.Errorf("order %v, want %v", order, c.order)
			}
		})
	}
}

func TestParseModule(t *testing.T) {
	plain := ko("depends=virtio-ring")
	packed := xzOf(t, plain)
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for file, raw := range map[string][]byte{
		"a/virtio-blk.ko":     plain,
		"a/virtio-blk.ko.xz":  packed[:len(packed)-4],
		"a/virtio-blk.ko.zst": w.EncodeAll(plain, nil),
	} {
		t.Run(file, func(t *testing.T) {
			m, err := ParseModule(file, raw)
			if err != nil {
				t.Fatal(err)
			}
			if m.Name != "virtio_blk" || m.File != "virtio-blk.ko" || !bytes.Equal(m.Data, plain) || fmt.Sprint(m.depends) != "[virtio_ring]" {
				t.Errorf("%s %s %v, %d bytes", m.Name, m.File, m.depends, len(m.Data))
			}
		})
	}
	for file, raw := range map[string][]byte{
		"a/x.ko":     []byte("nonsense"),
		"a/x.ko.xz":  []byte("nonsense"),
		"a/x.ko.zst": []byte("nonsense"),
		"a/x.ko.gz":  plain,
		"a/x.txt":    plain,
		"a/y.ko":     elftest.File{}.Bytes(),
	} {
		t.Run("refused "+file, func(t *testing.T) {
			if _, err := ParseModule(file, raw); err == nil {
				t.Error("accepted")
			}
		})
	}
}

// What the kernel would work on for nothing is taken off: a signature at the end, and
// the name of the section with types. All else stays as it is.
func TestModulesAreTrimmed(t *testing.T) {
	plain := elftest.File{Sections: map[string][]byte{".modinfo": []byte("depends=\x00"), ".BTF": []byte("types")}}.Bytes()
	about := append(make([]byte, signatureAbout-4), 0, 0, 0, 9)
	signed := slices.Concat(plain, []byte("signature"), about, []byte(signatureMark))
	broken := slices.Concat(plain, []byte{0xff, 0xff, 0xff, 0xff}, []byte(signatureMark))
	for name, tt := range map[string]struct {
		raw []byte
		len int
	}{"plain": {plain, len(plain)}, "signed": {signed, len(plain)}, "said to be longer than it is": {broken, len(broken)}} {
		before := slices.Clone(tt.raw)
		m, err := ParseModule("x.ko", tt.raw)
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(m.Data))
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Data) != tt.len || f.Section(".BTF") != nil || f.Section(".modinfo") == nil {
			t.Errorf("%s: %d bytes of %d, sections %v", name, len(m.Data), len(tt.raw), f.Sections)
		}
		if !bytes.Equal(tt.raw, before) {
			t.Errorf("%s: what was read is changed", name)
		}
	}
}
