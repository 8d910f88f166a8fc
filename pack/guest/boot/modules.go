package boot

import (
	"fmt"
	"strings"
)

// Bounds of /modules/order.
const (
	maxOrderBytes = 64 << 10
	maxModules    = 512
	maxModuleName = 128
)

// stageSeparator is the line of /modules/order between what the RPC port needs
// and the rest.
const stageSeparator = "--"

// Order is the content of /modules/order: file names in the order of loading.
type Order struct {
	First []string // what the RPC port needs
	Rest  []string // what the root, the share and programs need
}

// ParseOrder reads /modules/order: a file name per line, one line "--" between
// the stages, empty lines and lines that begin with # left alone. Without a
// separator everything belongs to the first stage.
func ParseOrder(text string) (Order, error) {
	if len(text) > maxOrderBytes {
		return Order{}, fmt.Errorf("module order: %d bytes, at most %d are read", len(text), maxOrderBytes)
	}
	var o Order
	to, separated := &o.First, false
	for n, line := range strings.Split(text, "\n") {
		name := strings.TrimSpace(line)
		switch {
		case name == "" || name[0] == '#':
			continue
		case name == stageSeparator:
			if separated {
				return Order{}, fmt.Errorf("module order: line %d: a second %q", n+1, stageSeparator)
			}
			to, separated = &o.Rest, true
			continue
		case !validModuleName(name):
			return Order{}, fmt.Errorf("module order: line %d: %q is not the name of a module file", n+1, name)
		}
		*to = append(*to, name)
		if len(o.First)+len(o.Rest) > maxModules {
			return Order{}, fmt.Errorf("module order: more than %d modules", maxModules)
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
