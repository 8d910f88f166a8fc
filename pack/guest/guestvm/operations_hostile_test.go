//go:build vm && linux

package guestvm

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"
)

// zipped is a zip of one file.
func zipped(t testing.TB, name, content string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err == nil {
		_, err = io.WriteString(f, content)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
