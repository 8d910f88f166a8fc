package boot

import (
	"fmt"
	"strings"
)

// ModulesDir is where the initramfs keeps kernel modules, and OrderFile the list
// in it by which they are loaded. A kernel that has everything built in has
// neither.
const (
	ModulesDir = "/modules"
	OrderFile  = "order"
)

// Bounds of the list.
const (
	maxOrderBytes = 64 << 10
	maxModules    = 512
	maxModuleName = 128
)

// stageSeparator is the line of the list between the two stages.
const stageSeparator = "--"

// ModuleOrder has names of module files in the order of loading.
type ModuleOrder struct {
	Early []string // what the RPC port needs
	Late  []string // what the root, the folders and programs need
}

// String is the list that [ParseModuleOrder] reads, for example
//
//	virtio_console.ko
//	--
//	erofs.ko
//	overlay.ko
func (o ModuleOrder) String() string {
	var b strings.Builder
	for _, name := range o.Early {
		b.WriteString(name + "\n")
	}
	b.WriteString(stageSeparator + "\n")
	for _, name := range o.Late {
		b.WriteString(name + "\n")
	}
	return b.String()
}

// ParseModuleOrder reads a list of modules: a file name per line, one line "--"
// between the stages. Empty lines and lines that begin with # are skipped.
func ParseModuleOrder(text string) (ModuleOrder, error) {
	if len(text) > maxOrderBytes {
		return ModuleOrder{}, fmt.Errorf("module order: %d bytes, at most %d are read", len(text), maxOrderBytes)
	}
	var o ModuleOrder
	to, separated := &o.Early, false
	for n, line := range strings.Split(text, "\n") {
		name := strings.TrimSpace(line)
		switch {
		case name == "" || name[0] == '#':
			continue
		case name == stageSeparator:
			if separated {
				return ModuleOrder{}, fmt.Errorf("module order: line %d: a second %q", n+1, stageSeparator)
			}
			to, separated = &o.Late, true
			continue
		case !validModuleName(name):
			return ModuleOrder{}, fmt.Errorf("module order: line %d: %q is not the name of a module file", n+1, name)
		}
		*to = append(*to, name)
		if len(o.Early)+len(o.Late) > maxModules {
			return ModuleOrder{}, fmt.Errorf("module order: more than %d modules", maxModules)
		}
	}
	return o, nil
}

// validModuleName accepts plain file names only: no path, nothing hidden.
func validModuleName(name string) bool {
	if len(name) > maxModuleName || !strings.HasSuffix(name, ".ko") || name[0] == '.' || name[0] == '-' {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '_' || c == '-' || c == '.' || c == '+':
		default:
			return false
		}
	}
	return true
}
