package chore

import (
	"context"
	"path"
)

// Online is what a plan reads that is only with a cloud service: piwork downloads it on the way.
type Online struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`

	Note string `json:"note,omitempty" words:"shown"`
}

// listed is what was in the folders when a plan was made, by the path in the runtime: making it
// may download what it looks into.
type listed struct {
	online map[string]int64 // sizes
	size   map[int64]int    // how many files have one
	seen   map[string]bool
}

// Noting returns an Env with the same folders, and what notes in a plan that was made with it how
// much of what it reads is only online.
func Noting(env Env) (Env, func(*Plan)) {
	l := listed{online: map[string]int64{}, size: map[int64]int{}, seen: map[string]bool{}}
	folders := make([]Folder, len(env.Folders))
	for i, f := range env.Folders {
		folders[i] = f
		folders[i].List = func(ctx context.Context, recursive bool) ([]Entry, error) {
			entries, err := f.List(ctx, recursive)
			for _, e := range entries {
				l.add(f.Guest+"/"+e.Path, e)
			}
			return entries, err
		}
	}
	env.Folders = folders
	return env, l.note
}

func (l listed) add(p string, e Entry) {
	if l.seen[p] || !e.Type.IsRegular() || e.Stub {
		return
	}
	l.seen[p] = true
	l.size[e.Size]++
	if e.Online {
		l.online[p] = e.Size
	}
}

// note says what is downloaded for a plan.
func (l listed) note(plan *Plan) {
	reads := map[string]bool{}
	for _, op := range plan.Operations {
		for _, in := range op.In {
			if in.SHA256 != "" || op.Op == OpAI || plan.Chore == sortPhotosName {
				reads[in.Path] = true
			}
		}
	}
	var out Online
	for p, size := range l.online {
		read := plan.Chore == duplicatesName && l.size[size] > 1 // which alone are compared
		for at := p; !read && at != "/" && at != "."; at = path.Dir(at) {
			read = reads[at] // or a folder that it is in
		}
		if read {
			out.Files++
			out.Bytes += size
		}
	}
	if out.Files > 0 {
		plan.Online = &out
	}
}
