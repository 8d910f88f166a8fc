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
	if _, err := r.Take(t.Context(), big, "a", 4999, nil); Refused(err) == nil || Refused(err).Code != tools.InputTooLarge {
		t.Error(err)
	}
	if in, err := r.Take(t.Context(), big, "b", 5000, nil); err != nil || in.Size != 5000 || len(in.Head) != headSize {
		t.Errorf("%+v, %v", in, err)
	}
	if _, err := r.Take(t.Context(), "/dev/zero", "c", 5000, nil); Refused(err) == nil || Refused(err).Code != tools.InputUnsupported {
		t.Error(err)
	}
}
