package chore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"piwork/app/chore"
)

func TestList(t *testing.T) {
	dir := folder(t, "a.jpg", "sub/b.jpg", "sub/deep/c.jpg", ".hidden/d.jpg", ".e.jpg", "empty/")
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"up": "..", "sub/loop": ".", "abs": "/etc"} {
			if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
				t.Fatal(err)
			}
		}
	}
	when := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a.jpg"), when, when); err != nil {
		t.Fatal(err)
	}
	list := func(recursive bool) (out []string) {
		entries, err := chore.List(t.Context(), opened(t, dir), recursive)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			out = append(out, e.Path)
			if e.Path == "a.jpg" && (!e.Time.Equal(when) || e.Size == 0) {
				t.Errorf("%+v", e)
			}
		}
		slices.Sort(out)
		return slices.DeleteFunc(out, func(s string) bool { return s == "up" || s == "abs" || s == "sub/loop" })
	}
	if got := list(false); !slices.Equal(got, []string{"a.jpg", "empty", "sub"}) {
		t.Errorf("%q", got)
	}
	if got := list(true); !slices.Equal(got, []string{"a.jpg", "empty", "sub", "sub/b.jpg", "sub/deep", "sub/deep/c.jpg"}) {
		t.Errorf("%q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := chore.List(ctx, opened(t, dir), true); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// opened is a directory as List takes it.
func opened(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}
