package share

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestDiskRoots: a whole disk and a whole network share are refused, however they are spelt;
// folders on them are not.
func TestDiskRoots(t *testing.T) {
	for path, want := range map[string]bool{
		`C:\`: true, `C:\Photos`: false,
		`N:\`: true, `N:\Photos`: false, // a network share as a drive
		`\\nas\photos`: true, `\\nas\photos\`: true, `\\nas\photos\2024`: false,
		`\\?\C:\`: true, `\\?\C:\Photos`: false,
		`\\?\UNC\nas\photos`: true, `\\?\UNC\nas\photos\`: true,
		`\\?\Volume{0a-1b}\`: true, `\\?\Volume{0a-1b}\Photos`: false,
	} {
		if got := isDiskRoot(resolve(path)); got != want {
			t.Errorf("%s, which is %s: %v", path, resolve(path), got)
		}
	}
}

// TestSystemFolders: those of the system are refused in either spelling.
func TestSystemFolders(t *testing.T) {
	system := os.Getenv("SystemRoot")
	for path, want := range map[string]RefusedCode{
		system: RefusedSystem, `\\?\` + system: RefusedSystem, filepath.Join(system, "System32"): RefusedSystem, `\\?\` + os.Getenv("SystemDrive") + `\`: RefusedDiskRoot,
	} {
		err := CheckFolder(path, nil)
		if refused, is := errors.AsType[*RefusedError](err); !is || refused.Code != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
