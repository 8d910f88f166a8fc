package runtimepack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"piwork/app/problem"
	"piwork/pack"
	"piwork/pack/spec"
)

// DownloadLife is how long a file among the downloads is of use for the next
// bundle, or to go on with.
const DownloadLife = 14 * 24 * time.Hour

// DownloadsDir is where archives are kept, in the cache directory.
const DownloadsDir = "downloads"

// downloads is the directory of archives that were fetched whole.
func (p *Store) downloads() string { return filepath.Join(p.o.CacheDir, DownloadsDir) }

// sweepDownloads removes the downloads that drop says, and old ones.
func (p *Store) sweepDownloads(drop func(name string) bool) {
	entries, err := os.ReadDir(p.downloads())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.o.Log.Warn("the downloads could not be looked at", "error", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !drop(e.Name()) && time.Since(info.ModTime()) < DownloadLife {
			continue
		}
		if err := os.Remove(filepath.Join(p.downloads(), e.Name())); err != nil {
			p.o.Log.Warn("an old download could not be removed", "error", err)
		}
	}
}

// dropOthers removes the archives of other versions: a bundle is of the one in use.
func (b *bundler) dropOthers() {
	b.sweepDownloads(func(name string) bool {
		return strings.HasPrefix(name, "piwork-") && !strings.Contains(name, "-"+b.version+".tar")
	})
}

// gatherLicences copies the licences and the offers of sources out of the packs,
// below their names. What is not as it was signed is a problem.
func (b *bundler) gatherLicences(packs []*pack.Installed) error {
	b.licences = filepath.Join(b.work, "licenses")
	for _, in := range packs {
		for _, f := range in.Manifest.Files {
			if f.Role != spec.RoleLicence && f.Role != spec.RoleSourceOffer {
				continue
			}
			data, err := os.ReadFile(filepath.Join(in.Dir, filepath.FromSlash(f.Path)))
			if err != nil {
				return err
			}
			if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
				return problem.Installed(&spec.VerifyError{Kind: spec.KindFlippedByte, File: f.Path})
			}
			out := filepath.Join(b.licences, filepath.FromSlash(path.Join(in.Manifest.Name, strings.TrimPrefix(f.Path, "licenses/"))))
			if err := os.MkdirAll(filepath.Dir(out), 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(out, data, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}
