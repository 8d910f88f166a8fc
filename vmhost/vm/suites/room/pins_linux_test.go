package room

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImageWritesNoLock: lock files that are missing or made for other packages are
// an error, and stay as they are.
func TestImageWritesNoLock(t *testing.T) {
	t.Setenv("PIWORK_DEBIAN_MIRROR", "http://mirror.invalid/debian")
	m := &maker{cache: t.TempDir(), base: t.TempDir(), dir: t.TempDir(), log: t.Logf}
	if _, _, err := m.debian(t.Context()); err == nil || !strings.Contains(err.Error(), "debian-amd64.json is missing") {
		t.Errorf("packages of Debian: %v", err)
	}
	if _, err := m.npm(t.Context()); err == nil || !strings.Contains(err.Error(), "npm.json is missing") {
		t.Errorf("packages of npm: %v", err)
	}
	for file, text := range map[string]string{
		"debian-amd64.json": `{"schema": 1, "set": "suites", "suite": "trixie", "architecture": "amd64", "time": "2026-11-20T08:15:00Z", "want": ["fio"], "packages": []}`,
		"npm.json":          `{"schema": 1, "packages": []}`,
	} {
		if err := os.WriteFile(filepath.Join(m.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var err error
		if file == "npm.json" {
			_, err = m.npm(t.Context())
		} else {
			_, _, err = m.debian(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
		if now, err := os.ReadFile(filepath.Join(m.dir, file)); err != nil || string(now) != text {
			t.Errorf("%s is %q, %v", file, now, err)
		}
	}
}
