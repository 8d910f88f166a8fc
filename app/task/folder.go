package task

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Contains reports whether the directory dir is p or above it. Both are real
// paths.
func Contains(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// FolderName returns the name of a folder in the guest: as on the host, made
// unique among the others.
func FolderName(base, resolved string, others []Folder) string {
	if base == "." || base == ".." || strings.ContainsAny(base, `/\`) {
		base = filepath.Base(resolved)
	}
	taken := func(name string) bool {
		for _, f := range others {
			if f.Name == name {
				return true
			}
		}
		return false
	}
	name := base
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	return name
}
