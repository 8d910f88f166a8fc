package tasks

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"piwork/app/problem"
)

// Dropped says which folders a task would get for what was dropped, in the order in
// which they were.
func (c *folderChooser) Dropped(_ context.Context, r DroppedRequest) ([]DroppedFolder, error) {
	out := []DroppedFolder{}
	for _, p := range r.Paths {
		if !filepath.IsAbs(p) {
			return nil, problem.BadRequest("paths", "%q is not absolute", p)
		}
		p = filepath.Clean(p)
		file := ""
		// What is not there, or cannot be looked at, is taken for a folder: its problem
		// says so.
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			p, file = filepath.Dir(p), filepath.Base(p)
		}
		at := slices.IndexFunc(out, func(f DroppedFolder) bool { return f.Path == p })
		if at < 0 {
			at = len(out)
			out = append(out, DroppedFolder{Path: p, Name: filepath.Base(p), Problem: c.refusal(p)})
		}
		if file != "" {
			if out[at].Files++; out[at].Files == 1 {
				out[at].File = file
			}
		}
	}
	return out, nil
}

// refusal is why no task may have a folder, nil where one may.
func (c *folderChooser) refusal(p string) *problem.Problem {
	if _, err := c.ResolveFolder(p); err != nil {
		return problem.From(err)
	}
	return nil
}
