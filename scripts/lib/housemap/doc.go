// Package housemap holds CONTRIBUTING.md to the tree: what its map and its table of rooms
// name has to exist, and each hop of its ways has to lead to the next. There is nothing
// here but tests.
package housemap
