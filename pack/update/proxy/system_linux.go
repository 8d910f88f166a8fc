package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// maxConfig bounds a settings file, in bytes.
const maxConfig = 1 << 20

// system asks the desktop of this session. Without one there is nothing to ask.
func system(ctx context.Context) (Settings, error) {
	desktop := os.Getenv("XDG_CURRENT_DESKTOP")
	if desktop == "" {
		return Settings{}, errNotSet
	}
	if strings.Contains(strings.ToUpper(desktop), "KDE") {
		return kde()
	}
	tool, err := exec.LookPath("gsettings")
	if err != nil {
		return Settings{}, errNotSet
	}
	out, err := exec.CommandContext(ctx, tool, "list-recursively", "org.gnome.system.proxy").Output()
	if err != nil {
		if _, is := errors.AsType[*exec.ExitError](err); is && ctx.Err() == nil {
			return Settings{}, errNotSet // the desktop has no such settings
		}
		return Settings{}, fmt.Errorf("ask the desktop for its proxy: %w", err)
	}
	return parseGNOME(string(out)), nil
}

// kde reads the first kioslaverc there is (XDG base directories).
func kde() (Settings, error) {
	var dirs []string
	if d, err := os.UserConfigDir(); err == nil {
		dirs = append(dirs, d)
	}
	if d := os.Getenv("XDG_CONFIG_DIRS"); d != "" {
		dirs = append(dirs, filepath.SplitList(d)...)
	} else {
		dirs = append(dirs, "/etc/xdg")
	}
	for _, d := range dirs {
		f, err := os.Open(filepath.Join(d, "kioslaverc"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Settings{}, fmt.Errorf("read KDE's proxy settings: %w", err)
		}
		data, err := io.ReadAll(io.LimitReader(f, maxConfig))
		f.Close()
		if err != nil {
			return Settings{}, fmt.Errorf("read KDE's proxy settings: %w", err)
		}
		return parseKDE(string(data)), nil
	}
	return Settings{}, errNotSet
}
