package at

import (
	"os"
	"testing"
)

// TestPlain: a folder has one spelling, and a spelling that only one of two names has stays.
func TestPlain(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\Zoë`:                  `C:\Users\Zoë`,
		`\\nas\photos\2024`:             `\\nas\photos\2024`,
		`\\?\C:\Users\Zoë`:              `C:\Users\Zoë`,
		`\\?\C:\`:                       `C:\`,
		`\\?\UNC\nas\photos`:            `\\nas\photos`,
		`\\?\UNC\nas\photos\`:           `\\nas\photos\`,
		`\\?\unc\nas\photos\2024`:       `\\nas\photos\2024`,
		`\\?\C:\ends with a dot.\x`:     `\\?\C:\ends with a dot.\x`,
		`\\?\UNC\nas\photos\NUL`:        `\\?\UNC\nas\photos\NUL`,
		`\\?\UNC\nas\photos\..\secret`:  `\\?\UNC\nas\photos\..\secret`,
		`\\?\UNC\`:                      `\\?\UNC\`,
		`\\?\C:`:                        `\\?\C:`,
		`\\?\Volume{0a-1b}\photos`:      `\\?\Volume{0a-1b}\photos`,
		`\\.\C:\photos`:                 `\\.\C:\photos`,
		`\\?\GLOBALROOT\Device\x\photo`: `\\?\GLOBALROOT\Device\x\photo`,
	} {
		if got := plain(path); got != want || plain(got) != got {
			t.Errorf("%s: %s, again %s", path, got, plain(got))
		}
	}
}

// TestRealPathOfLongForm: both spellings of a folder have one real path, and so has the top of
// a network share, which is asked as little as that of a drive.
func TestRealPathOfLongForm(t *testing.T) {
	dir, err := RealPath(os.Getenv("SystemRoot"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir: dir, `\\?\` + dir: dir, `\\nas\photos`: `\\nas\photos\`, `\\nas\photos\`: `\\nas\photos\`, `\\?\UNC\nas\photos`: `\\nas\photos\`,
	} {
		if got, err := RealPath(path); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
}
