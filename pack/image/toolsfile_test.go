package image

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/image/debian"
	"piwork/pack/tools"
)

// TestToolsFile: whoever reads tools.json can check the images, and find the packages
// that the tools are from and the document of the interface.
func TestToolsFile(t *testing.T) {
	l, err := debian.ReadLock(filepath.Join("lock", "guest-amd64.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := contents{sets: []string{setGuest}, files: map[string]string{
		rootfsPath: filepath.Join(t.TempDir(), "rootfs.img"), "qemu/bin/qemu-system-x86_64": "/nowhere",
	}}
	if err := os.WriteFile(c.files[rootfsPath], []byte("an image"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c.tools, err = toolList(l, tools.Catalogue()); err != nil {
		t.Fatal(err)
	}
	f, err := listTools(c, map[string]*debian.Lock{setGuest: l})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("an image"))
	if want := (guestImage{Path: rootfsPath, Bytes: 8, SHA256: hex.EncodeToString(sum[:])}); len(f.Images) != 1 || f.Images[0] != want {
		t.Errorf("images %+v, want %+v", f.Images, want)
	}
	if f.OpenAPI != "/openapi.yaml" || len(f.Tools) != len(c.tools) {
		t.Errorf("%q, %d tools of %d", f.OpenAPI, len(f.Tools), len(c.tools))
	}
	for _, tool := range f.Tools {
		if own := tool.Name == operateTool; own != (tool.SHA256 == "") || own != (tool.Package == "") || !own && len(tool.SHA256) != 64 {
			t.Errorf("%+v", tool)
		}
	}
	c.files[rootfsPath] = filepath.Join(t.TempDir(), "absent")
	if _, err := listTools(c, map[string]*debian.Lock{setGuest: l}); err == nil {
		t.Error("an image that is not there is listed")
	}
}
