package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func testCache(t *testing.T) (*cache, *[]string) {
	t.Helper()
	var lines []string
	c := &cache{dir: t.TempDir(), log: func(f string, a ...any) { lines = append(lines, fmt.Sprintf(f, a...)) }}
	unlock, err := c.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	return c, &lines
}

func makeFile(name string) func(context.Context, string) error {
	return func(_ context.Context, dir string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644)
	}
}

func TestPartIsMadeOnce(t *testing.T) {
	c, lines := testCache(t)
	made := 0
	for range 2 {
		dir, err := c.part(t.Context(), "kernel", "k1", func(ctx context.Context, dir string) error {
			made++
			return makeFile("f")(ctx, dir)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
			t.Error(err)
		}
	}
	if made != 1 || !c.has("kernel", "k1") || c.has("kernel", "k2") {
		t.Errorf("made %d times", made)
	}
	if n := len(*lines); n != 3 || !strings.Contains((*lines)[n-1], "as built before") {
		t.Errorf("%q", *lines)
	}
}

func TestFailedPartLeavesNothing(t *testing.T) {
	c, _ := testCache(t)
	broken := errors.New("broken")
	_, err := c.part(t.Context(), "kernel", "k", func(ctx context.Context, dir string) error {
		return errors.Join(makeFile("half")(ctx, dir), broken)
	})
	if !errors.Is(err, broken) || c.has("kernel", "k") {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(filepath.Join(c.dir, "parts")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestSweep(t *testing.T) {
	c, _ := testCache(t)
	now := time.Now()
	age := func(name string, old time.Duration) {
		dir := filepath.Join(c.dir, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, now.Add(-old), now.Add(-old)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range keepOfEach + 2 {
		age(fmt.Sprintf("parts/initramfs-%d", i), time.Duration(i)*time.Hour)
	}
	age("parts/kernel-old", unusedFor+time.Hour)
	age("parts/qemu-new", time.Hour)
	age("parts/.making-rootfs-1", time.Minute)
	age("debs/old.deb", debsUnusedFor+time.Hour)
	age("debs/new.deb", unusedFor+time.Hour)
	if err := c.sweep(now); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, d := range []string{"parts", "debs"} {
		entries, err := os.ReadDir(filepath.Join(c.dir, d))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	if want := []string{"initramfs-0", "initramfs-1", "initramfs-2", "initramfs-3", "qemu-new", "new.deb"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}

func TestSecondBuildWaits(t *testing.T) {
	c, _ := testCache(t)
	other := &cache{dir: c.dir, log: func(string, ...any) {}}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := other.lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestKeyOf(t *testing.T) {
	keys := map[string]bool{}
	for _, in := range [][]any{{"a"}, {"a", "b"}, {"ab"}, {"a", 1}, {"a", []string{"b"}}, {"a", nil}} {
		k, err := keyOf(in[0].(string), in[1:]...)
		if err != nil || len(k) != 32 || keys[k] {
			t.Errorf("%v: %q %v", in, k, err)
		}
		keys[k] = true
	}
	if _, err := keyOf("a", func() {}); err == nil {
		t.Error("a function has a key")
	}
}

// TestSourcesAreWhole: a package that is not embedded would not be in the keys.
func TestSourcesAreWhole(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal") {
			return err
		}
		if _, err := sources.ReadFile(filepath.ToSlash(name)); err != nil {
			t.Errorf("%s is not part of the keys", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
