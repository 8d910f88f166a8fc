package hostedtest

import (
	"os"
	"path/filepath"
	"testing"

	"piwork/pack"
	"piwork/pack/durable"
	"piwork/pack/spec"
	"piwork/vmhost/sandbox/tree"
)

// Tree is the tree of a pack. It stays between runs, in a directory of that name where there
// is one that stays, for other packages too: digest says of what it is.
func Tree(t testing.TB, in *pack.Installed, name, digest string, change ...tree.Change) string {
	t.Helper()
	image, err := in.Path(spec.RoleRootFS)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(os.Getenv("PIWORK_TEST_KEEP"), name)
	if os.Getenv("PIWORK_TEST_KEEP") == "" {
		dir = t.TempDir()
		t.Cleanup(func() { _ = durable.RemoveAll(filepath.Join(dir, digest)) })
	}
	root, err := tree.Ensure(t.Context(), dir, image, digest, change...)
	if err != nil {
		t.Fatal(err)
	}
	return root
}
