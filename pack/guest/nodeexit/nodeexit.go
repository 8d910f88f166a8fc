// Package nodeexit has the source of the add-on that ends a waiting Node right
// after its program (package execution, Spares). It is compiled when the pack is
// built, for the guest's Node: no compiler is needed in the guest.
package nodeexit

import "embed"

// Path is where the add-on is in the guest's root.
const Path = "/usr/lib/piwork/exit.node"

// Source has exit.c and build.sh, which compiles it.
//
//go:embed source
var Source embed.FS
