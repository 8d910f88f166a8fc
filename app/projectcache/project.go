package projectcache

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"piwork/app/problem"
	"piwork/pack/lazyregexp"
)

// OfFolders asks for the cache of a task's set of folders in place of a name.
const OfFolders = "."

// namePattern is what a project can be called: a name becomes that of a directory, on every
// system.
var namePattern = lazyregexp.New(`^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9_-])?$`)

// foldersPrefix begins the ids of sets of folders; no name does.
const foldersPrefix = "folders-"

// Project is whose a cache is: a name, or a set of folders.
type Project struct {
	Name    string   `json:"name,omitempty"`
	Folders []string `json:"folders,omitempty"` // real paths, sorted
}

// ProjectOf is the project that a task asks for with a name, or with OfFolders.
func ProjectOf(name string, folders []string) (Project, error) {
	switch {
	case name == OfFolders && len(folders) == 0:
		return Project{}, problem.New(problem.CodeBadRequest).With("field", "cache").By("cache-unnamed")
	case name == OfFolders:
		return Project{Folders: slices.Compact(slices.Sorted(slices.Values(folders)))}, nil
	case !namePattern().MatchString(name) || strings.HasPrefix(name, foldersPrefix) || strings.Contains(name, ".."):
		return Project{}, problem.BadRequest("cache", "%.80q is no name: a to z, digits, and - _ . between them, at most 63", name)
	}
	return Project{Name: name}, nil
}

// ID names the cache of the project, for people and as part of its directory's name.
func (p Project) ID() string {
	if p.Name != "" {
		return p.Name
	}
	sum := sha256.Sum256([]byte(strings.Join(p.Folders, "\x00")))
	return foldersPrefix + hex.EncodeToString(sum[:8])
}

// validID tells whether something can be an id.
func validID(id string) bool {
	return namePattern().MatchString(id) && !strings.Contains(id, "..")
}
