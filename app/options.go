package app

import (
	"cmp"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"piwork/app/relocate"
	"piwork/app/runtimepack"
	"piwork/vmhost/share"
)

// Names of environment variables that Open reads.
const (
	EnvDataDir    = "PIWORK_DATA_DIR"    // instead of the OS's place for data
	EnvConfigDir  = "PIWORK_CONFIG_DIR"  // instead of the OS's place for settings
	EnvCacheDir   = "PIWORK_CACHE_DIR"   // instead of the OS's place for what can be made again
	EnvRuntimeDir = "PIWORK_RUNTIME_DIR" // an unpacked runtime pack, for developers
	EnvAccel      = "PIWORK_ACCEL"       // "tcg": the slow mode
)

// Options say where a controller lives. The zero value is the ordinary user's.
type Options struct {
	DataDir   string // "" is EnvDataDir, else where it was moved to, else piwork in the OS's data directory
	ConfigDir string // "" is EnvConfigDir, else piwork in the OS's config directory
	CacheDir  string // "" is EnvCacheDir, else where it was moved to, else piwork in the OS's cache directory
	PackDir   string // "" is EnvRuntimeDir; where that is empty too, the installed pack
	Accel     string // "" is EnvAccel; "tcg" is the slow mode
	Version   string // of piwork, semver
	Developer bool   // the developer key ring is trusted too
	Log       *slog.Logger

	calls    *share.Counts    // of tasks to their folders
	kept     *atomic.Int64    // bytes by journals
	built    fs.FS            // what was compiled in, in place of what this program has; for tests
	resolved bool             // WithDefaults found out the following
	fixedBy  string           // what says where the data is, "" for what can be moved
	place    relocate.Pointer // where it was moved to
	placeErr error            // that could not be read
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
	usual := relocate.Usual()
	o.ConfigDir = pick(o.ConfigDir, EnvConfigDir, usual.Config)
	if !o.resolved {
		o.resolved = true
		o.placeErr = nil
		for _, dir := range []struct{ set, env string }{{o.DataDir, EnvDataDir}, {o.CacheDir, EnvCacheDir}} {
			if o.fixedBy == "" && (dir.set != "" || os.Getenv(dir.env) != "") {
				o.fixedBy = dir.env
			}
		}
		if o.fixedBy == "" {
			o.place, o.placeErr = relocate.Read(o.ConfigDir)
		}
	}
	o.DataDir = pick(o.DataDir, EnvDataDir, cmp.Or(o.place.Data, usual.Data))
	o.CacheDir = pick(o.CacheDir, EnvCacheDir, cmp.Or(o.place.Cache, usual.Cache))
	o.PackDir = pick(o.PackDir, EnvRuntimeDir, "")
	o.Accel = pick(o.Accel, EnvAccel, "")
	o.Version = cmp.Or(o.Version, "0.0.0")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.calls == nil {
		o.calls, o.kept = new(share.Counts), new(atomic.Int64)
	}
	return o
}

// Usual reports whether the data is where a program has it that is told nothing, as one is
// that the system starts.
func (o Options) Usual() bool {
	usual := relocate.Usual()
	place, err := relocate.Read(usual.Config)
	return err == nil && filepath.Clean(o.WithDefaults().DataDir) == filepath.Clean(cmp.Or(place.Data, usual.Data))
}

// LogDir is where logs are, of machines and of the controller.
func (o Options) LogDir() (string, error) {
	o = o.WithDefaults()
	return filepath.Join(o.DataDir, machineDir), errors.Join(o.placeErr, o.place.Check())
}

// TasksDir is where the records of tasks are.
func (o Options) TasksDir() string { return filepath.Join(o.WithDefaults().DataDir, tasksDir) }

// packs are the options of packs.
func (o Options) packs() runtimepack.StoreOptions {
	return runtimepack.StoreOptions{
		DataDir: o.DataDir, ConfigDir: o.ConfigDir, CacheDir: o.CacheDir, PackDir: o.PackDir,
		Version: o.Version, Developer: o.Developer, Built: o.built, Log: o.Log,
	}
}

const closeTimeout = 10 * time.Second // for a runtime to end gracefully
