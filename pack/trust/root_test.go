package trust

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// TestChannelRoot: the root that is compiled in counts, a developer's own only by
// explicit choice, and a broken choice is an error, not another root.
func TestChannelRoot(t *testing.T) {
	with := t.TempDir()
	if err := os.WriteFile(filepath.Join(with, ChannelRootFile), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	large := t.TempDir()
	if err := os.WriteFile(filepath.Join(large, ChannelRootFile), bytes.Repeat([]byte("x"), maxRootFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ChannelRootFile), 0o700); err != nil {
		t.Fatal(err)
	}
	official := fstest.MapFS{"keys/root.json": {Data: []byte("official")}}
	for name, tc := range map[string]struct {
		fsys fstest.MapFS
		o    Options
		root string // "" is an error
		kind Kind
	}{
		"released program":                        {official, Options{ConfigDir: with}, "official", Release},
		"developer with a channel of their own":   {official, Options{ConfigDir: with, Developer: true}, "mine", Developer},
		"developer without":                       {official, Options{ConfigDir: t.TempDir(), Developer: true}, "official", Release},
		"nothing compiled in":                     {fstest.MapFS{}, Options{ConfigDir: with}, "", ""},
		"developer, nothing compiled in":          {fstest.MapFS{}, Options{ConfigDir: with, Developer: true}, "mine", Developer},
		"developer with a file beyond bounds":     {official, Options{ConfigDir: large, Developer: true}, "", ""},
		"developer with a directory in its place": {official, Options{ConfigDir: dir, Developer: true}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root, kind, err := channelRoot(tc.fsys, tc.o)
			if string(root) != tc.root || kind != tc.kind || (err != nil) != (tc.root == "") {
				t.Errorf("got %q, %s, %v", root, kind, err)
			}
		})
	}
	if _, _, err := channelRoot(fstest.MapFS{}, Options{}); !errors.Is(err, ErrNoChannel) {
		t.Errorf("got %v", err)
	}
	// What is compiled into this program, if anything, is a root.
	if _, err := ChannelRoot(Options{}); err != nil && !errors.Is(err, ErrNoChannel) {
		t.Error(err)
	}
}
