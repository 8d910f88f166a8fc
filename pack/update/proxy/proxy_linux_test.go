package proxy

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// The files of KDE are read from where they are.
func TestKDEFile(t *testing.T) {
	clear(t)
	dir := t.TempDir()
	t.Setenv("XDG_CURRENT_DESKTOP", "KDE")
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.WriteFile(filepath.Join(dir, "kioslaverc"), []byte("[Proxy Settings]\nProxyType=1\nhttpsProxy=http://proxy.example 3128\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Find(t.Context(), "")
	if want := (Settings{Source: SourceKDE, HTTPS: "http://proxy.example:3128"}); !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}
