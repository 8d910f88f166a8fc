package job

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/tools"
)

// What grows while it is read is not taken.
func TestTakeBounds(t *testing.T) {
	dir := t.TempDir()
	r := &Job{Order: Order{Scratch: t.TempDir()}}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, bytes.Repeat([]byte("x"), 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, p, err := r.Take(t.Context(), big, "a", 4999, nil); err != nil || p == nil || p.Code != tools.InputTooLarge {
		t.Errorf("%v, %v", p, err)
	}
	if in, p, err := r.Take(t.Context(), big, "b", 5000, nil); err != nil || p != nil || in.Size != 5000 || len(in.Head) != headSize {
		t.Errorf("%+v, %v, %v", in, p, err)
	}
	if _, p, err := r.Take(t.Context(), "/dev/zero", "c", 5000, nil); err != nil || p == nil || p.Code != tools.InputUnsupported {
		t.Errorf("%v, %v", p, err)
	}
}
