package background

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/Masterminds/semver/v3"

	"piwork/app"
	"piwork/app/api"
	"piwork/app/executable"
	"piwork/app/gateway/keys"
)

// identity tells one piwork from another: where its file is, and when that was written.
type identity struct {
	path  string
	built time.Time
}

// ownFile is the identity of this program as it was started; zero where the system does
// not say.
var ownFile = sync.OnceValue(func() identity {
	path, err := executable.Path()
	if err != nil {
		return identity{}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return identity{path: path}
	}
	return identity{path, info.ModTime().UTC()}
})

// replaces reports whether the program with this file is to replace the one that runs: its
// file was written anew, or it is a newer version.
func (own identity) replaces(s api.ProcessStatus, version string) bool {
	if own.path != "" && own.path == s.Program && !own.built.IsZero() && !s.Built.IsZero() {
		return !own.built.Equal(s.Built)
	}
	ours, err := semver.NewVersion(version)
	if err != nil {
		return false
	}
	theirs, err := semver.NewVersion(s.Version)
	return err == nil && ours.GreaterThan(theirs)
}

// variables are those of the environment that a controller reads, but for where its data
// is: another place has another controller.
var variables = []string{
	app.EnvRuntimeDir, keys.VarMode, keys.VarPath, keys.VarCopy, keys.VarProfile, "PIWORK_NODE_VERSION", "PIWORK_E2E_COMPUTER",
}

// environment tells controllers apart whose variables differ. It gives away none of them.
func environment(o app.Options, env []string) string {
	keysToo := slices.Contains(env, keys.VarMode+"=env")
	var all []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains(variables, name) || keysToo && (strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_TOKEN")) {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	sum := sha256.Sum256([]byte(strings.Join(append(all, o.WithDefaults().Accel), "\x00")))
	return hex.EncodeToString(sum[:8])
}
