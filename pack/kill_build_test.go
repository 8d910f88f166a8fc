package pack

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/durable"
	"piwork/pack/trust"
)

// performBuild does "build OUT:DIR:KEY", a pack of a directory, or "wrap OUT:PACK",
// a bundle, with the steps of s told of both. The colon is that of lists of paths.
func performBuild(ctx context.Context, s *Store, keys *trust.KeyRing, do string) error {
	verb, arg, _ := strings.Cut(do, " ")
	files := filepath.SplitList(arg)
	if verb == "wrap" {
		_, _, err := BuildBundle(ctx, BundleBuildOptions{Packs: files[1:], Keys: keys, Out: files[0], step: s.step})
		return err
	}
	signer, err := trust.LoadSigner(files[2], nil)
	if err != nil {
		return err
	}
	header := (&forger{}).plain().m
	_, err = Build(ctx, BuildOptions{Dir: files[1], Header: header, Signer: signer, Level: 1, Out: files[0], step: s.step})
	return err
}

// TestKillWhileBuilding kills the program before each step of replacing a pack or a
// bundle: there is the old one or the new one, whole, and building again succeeds.
func TestKillWhileBuilding(t *testing.T) {
	r := newKillRig(t)
	dir, key := t.TempDir(), filepath.Join(t.TempDir(), "key")
	for name, data := range map[string]string{"guest/rootfs.img": "root", "guest/vmlinux": "kernel", "tools.json": "{}"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, file, []byte(data))
	}
	if _, err := trust.GenerateDeveloperKey(key, "k"); err != nil {
		t.Fatal(err)
	}
	for verb, from := range map[string][]string{"build": {dir, key}, "wrap": {r.chunksNew}} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			do := func(out string) string {
				return verb + " " + strings.Join(append([]string{out}, from...), string(os.PathListSeparator))
			}
			read := func(file string) string {
				t.Helper()
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			s := r.store(t)
			sample := filepath.Join(t.TempDir(), "out")
			if err := perform(t.Context(), s, r.keys, do(sample)); err != nil {
				t.Fatal(err)
			}
			const old = "what was there before"
			want := read(sample)
			var steps []string
			for at := 1; ; at++ {
				if at > 50 {
					t.Fatal("no end of steps")
				}
				out := writeFile(t, filepath.Join(t.TempDir(), "out"), []byte(old))
				step, killed := r.child(t, s, do(out), at)
				steps = append(steps, step)
				got := read(out)
				if !killed {
					if entries, err := os.ReadDir(filepath.Dir(out)); got != want || err != nil || len(entries) != 1 {
						t.Errorf("done without a kill: %d bytes of %d, and %v beside them, %v", len(got), len(want), entries, err)
					}
					break
				}
				if expected := map[bool]string{false: old, true: want}[step == "end"]; got != expected {
					t.Errorf("killed before %q: %d bytes, want %d", step, len(got), len(expected))
				}
				if err := perform(t.Context(), s, r.keys, do(out)); err != nil || read(out) != want {
					t.Errorf("killed before %q, then done again: %v, %d bytes, want %d", step, err, len(read(out)), len(want))
				}
			}
			if all := []string{"create", "fill", "finish", "rename", "end"}; !slices.Equal(steps[:len(steps)-1], all) {
				t.Errorf("steps %q, want %q", steps, all)
			}
		})
	}
}

// TestWriteBesideLeavesNothing: what fails in the middle changes nothing.
func TestWriteBesideLeavesNothing(t *testing.T) {
	broken := errors.New("broken")
	dir := t.TempDir()
	out := writeFile(t, filepath.Join(dir, "out"), []byte("old"))
	for name, c := range map[string]struct {
		out  string
		put  func(tmp, out string) error
		fill error
		want error
	}{
		"filling fails":            {out, os.Rename, broken, broken},
		"no such place":            {filepath.Join(dir, "none", "out"), os.Rename, nil, os.ErrNotExist},
		"a directory in its place": {dir, os.Rename, nil, nil},
		"a file that must be new":  {out, durable.MoveNew, nil, os.ErrExist},
	} {
		err := writeBeside(c.out, c.put, nil, func(w io.Writer) error {
			_, err := io.WriteString(w, "half")
			return errors.Join(err, c.fill)
		})
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "old" {
		t.Errorf("%q, %v", data, err)
	}
}
