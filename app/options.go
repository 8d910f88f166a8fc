package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
)

// Names of environment variables that Open reads.
const (
	EnvDataDir    = "PIWORK_DATA_DIR"    // instead of the OS's place for data
	EnvConfigDir  = "PIWORK_CONFIG_DIR"  // instead of the OS's place for settings
	EnvCacheDir   = "PIWORK_CACHE_DIR"   // instead of the OS's place for what can be made again
	EnvRuntimeDir = "PIWORK_RUNTIME_DIR" // an unpacked runtime pack, for developers
	EnvAccel      = "PIWORK_ACCEL"       // "tcg": the slow mode
)

const appName = "piwork"

// Options say where a controller lives. The zero value is the ordinary user's.
type Options struct {
	DataDir   string // "" is EnvDataDir, else piwork in the OS's data directory
	ConfigDir string // "" is EnvConfigDir, else piwork in the OS's config directory
	CacheDir  string // "" is EnvCacheDir, else piwork in the OS's cache directory
	PackDir   string // "" is EnvRuntimeDir; where that is empty too, the installed pack
	Accel     string // "" is EnvAccel; "tcg" is the slow mode
	Version   string // of piwork, semver
	Developer bool   // the developer key ring is trusted too
	Log       *slog.Logger
}

// WithDefaults fills in what is not set.
func (o Options) WithDefaults() Options {
	pick := func(set, env, def string) string {
		if set == "" {
			set = os.Getenv(env)
		}
		if set == "" {
			return def
		}
		return set
	}
	o.DataDir = pick(o.DataDir, EnvDataDir, filepath.Join(xdg.DataHome, appName))
	o.ConfigDir = pick(o.ConfigDir, EnvConfigDir, filepath.Join(xdg.ConfigHome, appName))
	o.CacheDir = pick(o.CacheDir, EnvCacheDir, filepath.Join(xdg.CacheHome, appName))
	o.PackDir = pick(o.PackDir, EnvRuntimeDir, "")
	o.Accel = pick(o.Accel, EnvAccel, "")
	if o.Version == "" {
		o.Version = "0.0.0"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// How long things may take.
const (
	closeTimeout  = 10 * time.Second // for a runtime to end gracefully
	settleTimeout = time.Minute      // for the journal to read what a task changed
	lockPatience  = time.Second      // for the holder of the lock to say who it is
)
