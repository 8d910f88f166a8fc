package relocate

import (
	"path/filepath"

	"github.com/adrg/xdg"
)

// appName is that of piwork's directories.
const appName = "piwork"

// Dirs are the directories of settings, data and what can be made again.
type Dirs struct{ Config, Data, Cache string }

// Usual are the directories where the system keeps such things (XDG Base Directory Specification,
// and what package xdg has for macOS and Windows).
func Usual() Dirs { return usual(xdg.ConfigHome, xdg.DataHome, xdg.CacheHome) }

// usual has the data in a directory of its own where the system has one home for settings and data,
// as macOS and Windows: a move takes the data away, and never the settings.
func usual(config, data, cache string) Dirs {
	d := Dirs{filepath.Join(config, appName), filepath.Join(data, appName), filepath.Join(cache, appName)}
	if d.Data == d.Config {
		d.Data = filepath.Join(d.Data, dataName)
	}
	if d.Cache == d.Config {
		d.Cache = filepath.Join(d.Cache, cacheName)
	}
	return d
}
