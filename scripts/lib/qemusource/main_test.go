package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/image/debian"
)

// The files of the source come to be in the directory by their names, and a file that is not what
// the lock says does not.
func TestFetch(t *testing.T) {
	if _, err := os.Stat("/usr/lib/apt/apt-helper"); err != nil {
		t.Skip("needs apt")
	}
	for _, v := range []string{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"} {
		t.Setenv(v, "")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/debian/pool/main/q/qemu/qemu_1.dsc" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("source"))
	}))
	defer server.Close()
	mirrors := debian.Mirrors{debian.ArchiveMain: server.URL + "/debian", debian.ArchiveSecurity: server.URL + "/security"}
	lockOf := func(text string) *debian.Lock {
		sum := sha256.Sum256([]byte(text))
		return &debian.Lock{Suite: "trixie", Architecture: "amd64", Sources: []debian.Source{{
			Name: "qemu", Version: "1", Archive: debian.ArchiveMain, Directory: "pool/main/q/qemu",
			Files: []debian.SourceFile{{Name: "qemu_1.dsc", Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}},
		}}}
	}
	dir := filepath.Join(t.TempDir(), "qemu")
	if err := fetch(t.Context(), lockOf("source"), mirrors, t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "qemu_1.dsc")); err != nil || string(data) != "source" {
		t.Errorf("%q %v", data, err)
	}
	dir = t.TempDir()
	if err := fetch(t.Context(), lockOf("forged"), mirrors, t.TempDir(), dir); err == nil {
		t.Error("another file than the lock says: accepted")
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if err := fetch(t.Context(), &debian.Lock{}, mirrors, t.TempDir(), dir); err == nil || !strings.Contains(err.Error(), "has none") {
		t.Errorf("no source: %v", err)
	}
}
