// Package lazyregexp compiles regular expressions when they are used first: most runs of the
// program use few of its expressions, and compiling all of them takes longer than answering a
// request. In tests each is compiled at once, so that one that is wrong ends every test of its
// package (as Go's own internal/lazyregexp does).
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

var inTest = strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test")

// New returns what compiles an expression once.
func New(expr string) func() *regexp.Regexp {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	if inTest {
		compiled()
	}
	return compiled
}
