package at

import "testing"

// forceOSRoot makes openDir use os.Root.
func forceOSRoot(t *testing.T) {
	noOpenat2.Store(true)
	t.Cleanup(func() { noOpenat2.Store(false) })
}
