package share

import (
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/internal/store"
)

// Store is what a Tree shows and changes, see [Set.AddStore].
type Store = store.Store

// Handle is an open file or directory of a Store.
type Handle = store.Handle

// Meta is what is set of a file besides its content and its names.
type Meta = at.Meta
