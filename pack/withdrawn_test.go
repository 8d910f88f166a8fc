package pack

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"piwork/pack/spec"
)

// TestWithdrawnVersion: no way in leads to a version that was withdrawn, and what
// is installed still opens.
func TestWithdrawnVersion(t *testing.T) {
	r := newAssemblyRig(t)
	policy := spec.Policy{Withdrawn: func(v string) (string, bool) { return "it loses files", v == "1.1.0" }}
	chunks := writeFile(t, filepath.Join(t.TempDir(), "chunks"), r.new)
	a := r.plain()
	a.m.Version = "1.1.0"
	stream := filepath.Join(t.TempDir(), "stream")
	if err := os.WriteFile(stream, r.archive(a), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error) {
		t.Helper()
		if spec.KindOf(err) != spec.KindWithdrawn {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, file := range []string{chunks, stream} {
		_, err := VerifyFile(t.Context(), file, r.keys, VerifyOptions{Policy: policy})
		refused("verify", err)
		_, err = Install(t.Context(), file, r.store, r.keys, InstallOptions{Policy: policy})
		refused("install", err)
	}
	_, err := ReadHead(t.Context(), bytes.NewReader(r.new), r.keys, policy)
	refused("head", err)
	_, err = Assemble(t.Context(), r.head, r.store, r.keys, AssembleOptions{Policy: policy})
	refused("assemble", err)
	if _, err := Install(t.Context(), chunks, r.store, r.keys, InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if in, err := r.store.Current(r.keys, policy); err != nil || in.Manifest.Version != "1.1.0" {
		t.Errorf("what is in use does not open any more: %v", err)
	}
}
