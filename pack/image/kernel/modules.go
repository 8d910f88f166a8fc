package kernel

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

const maxModule = 64 << 20

// A Module is one loadable module of a kernel, unpacked.
type Module struct {
	Name    string // as in /proc/modules: with underscores
	File    string // base name of the unpacked file, ends in ".ko"
	Data    []byte
	depends []string // names
	pre     []string // names or aliases that a request at run time would load first
	aliases []string
}

// Tree is where modules come from: the files of a kernel's package.
type Tree struct {
	// Paths are all files below lib/modules/<version>/kernel.
	Paths []string
	// Builtin is modules.builtin: what the kernel itself contains.
	Builtin string
	// Read returns a file as it is in the package.
	Read func(path string) ([]byte, error)
}

// Order resolves the wanted modules and everything that they need, and returns
// them in the order in which they have to be loaded; wanted names that are
// built into the kernel are left out. Nothing in the guest loads modules on
// request, so soft dependencies count like hard ones.
func (t Tree) Order(wanted []string) ([]Module, error) {
	r := resolver{tree: t, files: map[string]string{}, builtin: map[string]bool{}, state: map[string]int{}}
	for _, p := range t.Paths {
		if name, ok := moduleName(p); ok {
			r.files[name] = p
		}
	}
	for line := range strings.Lines(t.Builtin) {
		if name, ok := moduleName(strings.TrimSpace(line)); ok {
			r.builtin[name] = true
		}
	}
	for _, w := range wanted {
		if err := r.load(canonical(w), nil); err != nil {
			return nil, err
		}
	}
	return r.order, nil
}

type resolver struct {
	tree    Tree
	files   map[string]string // name → path
	builtin map[string]bool
	state   map[string]int // 1 being resolved, 2 in order
	order   []Module
}

func (r *resolver) load(name string, chain []string) error {
	if r.builtin[name] || r.state[name] == 2 {
		return nil
	}
	chain = append(chain, name)
	if r.state[name] == 1 {
		return fmt.Errorf("modules need each other: %s", strings.Join(chain, " → "))
	}
	p, ok := r.files[name]
	if !ok {
		return fmt.Errorf("module %s is not in the kernel package", strings.Join(chain, " → "))
	}
	r.state[name] = 1
	raw, err := r.tree.Read(p)
	if err != nil {
		return fmt.Errorf("module %s: %w", name, err)
	}
	m, err := ParseModule(p, raw)
	if err != nil {
		return err
	}
	for _, d := range m.depends {
		if err := r.load(d, chain); err != nil {
			return err
		}
	}
	for _, d := range m.pre {
		// A soft dependency may be an alias, or something this kernel has not.
		if !r.builtin[d] && r.files[d] == "" {
			found, err := r.byAlias(d)
			if err != nil {
				return err
			}
			if found == "" {
				continue
			}
			d = found
		}
		if err := r.load(d, chain); err != nil {
			return err
		}
	}
	r.state[name] = 2
	r.order = append(r.order, m)
	return nil
}

// byAlias finds what answers to an alias of the crypto API, the only ones that
// soft dependencies of file systems use: "crc32c" is crc32c_generic and the
// like, of which the generic one is taken.
func (r *resolver) byAlias(alias string) (string, error) {
	generic := alias + "_generic"
	if r.builtin[generic] {
		return "", nil
	}
	p, ok := r.files[generic]
	if !ok {
		return "", nil
	}
	raw, err := r.tree.Read(p)
	if err != nil {
		return "", fmt.Errorf("module %s: %w", generic, err)
	}
	m, err := ParseModule(p, raw)
	if err != nil {
		return "", err
	}
	if slices.Contains(m.aliases, alias) || slices.Contains(m.aliases, "crypto-"+alias) {
		return generic, nil
	}
	return "", nil
}

// ParseModule unpacks a module file (.ko, .ko.xz or .ko.zst) and reads what it
// says about itself in its .modinfo section.
func ParseModule(file string, raw []byte) (Module, error) {
	name, ok := moduleName(file)
	if !ok {
		return Module{}, fmt.Errorf("%s is not a module", file)
	}
	data, err := unpackModule(file, raw)
	if err != nil {
		return Module{}, fmt.Errorf("module %s: %w", name, err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return Module{}, fmt.Errorf("module %s: %w", name, err)
	}
	defer f.Close()
	section := f.Section(".modinfo")
	if section == nil {
		return Module{}, fmt.Errorf("module %s: no .modinfo", name)
	}
	info, err := section.Data()
	if err != nil {
		return Module{}, fmt.Errorf("module %s: %w", name, err)
	}
	base, _, _ := strings.Cut(path.Base(file), ".ko")
	m := Module{Name: name, File: base + ".ko", Data: data}
	m.readInfo(info)
	return m, nil
}

// readInfo reads the NUL-separated key=value pairs of .modinfo.
func (m *Module) readInfo(info []byte) {
	for pair := range bytes.SplitSeq(info, []byte{0}) {
		key, value, _ := strings.Cut(string(pair), "=")
		switch key {
		case "depends":
			for d := range strings.SplitSeq(value, ",") {
				if d != "" {
					m.depends = append(m.depends, canonical(d))
				}
			}
		case "softdep": // "pre: a b post: c"
			before := false
			for _, word := range strings.Fields(value) {
				switch {
				case strings.HasSuffix(word, ":"):
					before = word == "pre:"
				case before:
					m.pre = append(m.pre, canonical(word))
				}
			}
		case "alias":
			m.aliases = append(m.aliases, value)
		}
	}
}

func unpackModule(file string, raw []byte) ([]byte, error) {
	var r io.Reader
	switch path.Ext(file) {
	case ".ko":
		return raw, nil
	case ".xz":
		d, err := xz.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		r = d
	case ".zst":
		d, err := zstd.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		defer d.Close()
		r = d
	default:
		return nil, errors.New("compressed in an unknown way")
	}
	data, err := io.ReadAll(io.LimitReader(r, maxModule+1))
	if err == nil && len(data) > maxModule {
		err = fmt.Errorf("more than %d bytes", maxModule)
	}
	return data, err
}

// moduleName returns the name of the module in a file of that path.
func moduleName(p string) (string, bool) {
	base, rest, ok := strings.Cut(path.Base(p), ".ko")
	if !ok || base == "" || rest != "" && rest != ".xz" && rest != ".zst" {
		return "", false
	}
	return canonical(base), true
}

// canonical is a module's name as the kernel writes it.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }
