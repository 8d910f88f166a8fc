// Command size counts what people wrote, and names what is larger than the house allows:
//
//	go run ./scripts/lib/size          the sums, the largest packages, and what is too large
//	go run ./scripts/lib/size -types   the types with the most methods and fields, too
//
// Counted are lines of Go, TypeScript and Svelte in files that git knows, without tests
// and without what is generated. Types are those of this repository: the methods that are
// written for them, and the fields that stand in their struct, embedded ones as one. No number says
// how large a type may be: what changes together and has one lock is one.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
)

func main() {
	types := flag.Bool("types", false, "print the types with the most methods and fields")
	flag.Parse()
	out := os.Stdout
	h, err := look(context.Background(), ".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(out, "%8d lines of Go\n%8d lines of TypeScript and Svelte\n%8d lines in all, without tests and what is generated\n%8d lines in app itself\n\n",
		h.goLines, h.webLines, h.goLines+h.webLines, h.packages["app"])
	names := slices.SortedFunc(maps.Keys(h.packages), func(a, b string) int { return cmp.Compare(h.packages[b], h.packages[a]) })
	for _, name := range names[:min(len(names), 12)] {
		fmt.Fprintf(out, "%8d %s\n", h.packages[name], name)
	}
	if *types {
		slices.SortFunc(h.types, func(a, b typeSize) int { return cmp.Compare(b.methods+2*b.fields, a.methods+2*a.fields) })
		fmt.Fprintln(out)
		for _, t := range h.types[:min(len(h.types), 20)] {
			fmt.Fprintf(out, "%4d methods %4d fields  %s\n", t.methods, t.fields, t.name)
		}
	}
	fmt.Fprintln(out)
	for _, s := range h.tooLarge() {
		fmt.Fprintln(out, s)
	}
}
