//go:build vm && linux

package guestvm

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"
)

// zipped is a zip of pairs of names and contents. The kind of an OpenDocument is not
// compressed (OpenDocument 1.3 part 2, 3.3).
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		head := zip.FileHeader{Name: files[i], Method: zip.Deflate}
		if head.Name == "mimetype" {
			head.Method = zip.Store
		}
		f, err := w.CreateHeader(&head)
		if err == nil {
			_, err = io.WriteString(f, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
