package tasks

import (
	"context"
	"path/filepath"
	"slices"

	"piwork/app/problem"
	"piwork/vmhost/share/drive"
)

// Dropped says which folders a task would get for what was dropped, in the order in
// which they were.
func (c *folderChooser) Dropped(ctx context.Context, r DroppedRequest) ([]DroppedFolder, error) {
	out := []DroppedFolder{}
	for _, p := range r.Paths {
		if ctx.Err() != nil {
			return nil, problem.From(context.Cause(ctx))
		}
		if !filepath.IsAbs(p) {
			return nil, problem.BadRequest("paths", "%q is not absolute", p)
		}
		p = filepath.Clean(p)
		file := ""
		// What is not there, or cannot be looked at, is taken for a folder: its problem says
		// so. In a folder whose drive does not answer all are files: one problem says it.
		if info, err := drive.Stat(ctx, p); err == nil && !info.IsDir() || drive.Silent(filepath.Dir(p)) {
			p, file = filepath.Dir(p), filepath.Base(p)
		}
		at := slices.IndexFunc(out, func(f DroppedFolder) bool { return f.Path == p })
		if at < 0 {
			at = len(out)
			_, refused := c.ResolveFolder(p)
			out = append(out, DroppedFolder{Path: p, Name: filepath.Base(p), Problem: problem.From(refused)})
		}
		if file != "" {
			if out[at].Files++; out[at].Files == 1 {
				out[at].File = file
			}
		}
	}
	return out, nil
}
