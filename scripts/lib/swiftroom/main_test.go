package main

import (
	"maps"
	"testing"
	"testing/fstest"
)

// What was compiled is found again while its sources, its packages and how it is compiled are as
// they were, and only then.
func TestKey(t *testing.T) {
	tree := fstest.MapFS{
		lockFile:                          {Data: []byte("lock")},
		sources + "/Package.swift":        {Data: []byte("package")},
		sources + "/Sources/a.swift":      {Data: []byte("a")},
		sources + "/.build/debug/made.so": {Data: []byte("made")},
		"README.md":                       {Data: []byte("readme")},
	}
	keyOf := func(change map[string]string) string {
		t.Helper()
		changed := maps.Clone(tree)
		for name, text := range change {
			changed[name] = &fstest.MapFile{Data: []byte(text)}
		}
		all, err := texts(changed)
		if err != nil {
			t.Fatal(err)
		}
		return key(all)
	}
	was := keyOf(nil)
	for _, same := range []map[string]string{{}, {"README.md": "other"}, {sources + "/.build/debug/made.so": "other"}} {
		if keyOf(same) != was {
			t.Errorf("another key for %v", same)
		}
	}
	for _, other := range []map[string]string{{lockFile: "other"}, {sources + "/Sources/a.swift": "b"}, {sources + "/Sources/b.swift": ""}} {
		if keyOf(other) == was {
			t.Errorf("the same key for %v", other)
		}
	}
	if _, err := texts(fstest.MapFS{}); err == nil {
		t.Error("no lock: accepted")
	}
}
