package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What is made is what is there.
func TestCurrent(t *testing.T) {
	for name, want := range generate() {
		if got, err := os.ReadFile(filepath.Join("..", "..", "..", name)); err != nil || string(got) != want {
			t.Errorf("%s is not current: go run ./scripts/lib/sdk (%v)", name, err)
		}
	}
}
