package history

import (
	"os"
	"testing"
)

// makePipe makes a directory: Windows has no pipes in folders.
func makePipe(t *testing.T, name string) {
	t.Helper()
	if err := os.Mkdir(name, 0o700); err != nil {
		t.Fatal(err)
	}
}
