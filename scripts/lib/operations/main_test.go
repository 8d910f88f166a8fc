package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerated: what is made from the table of operations is as the table is now, and no
// operation lacks a method of the client or of the fake.
func TestGenerated(t *testing.T) {
	files, err := generate("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if is, err := os.ReadFile(name); err != nil || !bytes.Equal(is, text) {
			t.Errorf("%s is stale: go generate ./app/api (%v)", name, err)
		}
	}
}
