package job

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"piwork/pack/tools"
)

// maxListed bounds how many files one operation looks at.
const maxListed = 200_000

// Walk finds the files and folders of inputs, in the order of names. Links are
// not followed.
func (r *Job) Walk(ctx context.Context, in []string, recursive bool, take func(p string, d fs.DirEntry) error) error {
	return r.WalkMost(ctx, in, recursive, maxListed, take)
}

// WalkMost is walk with a bound of its own.
func (r *Job) WalkMost(ctx context.Context, in []string, recursive bool, most int, take func(p string, d fs.DirEntry) error) error {
	count := 0
	for _, root := range r.Astray(in) {
		err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
			switch count++; {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				return r.PassBy(p, d, err)
			case count > most:
				return &Error{tools.InputTooLarge, fmt.Errorf("more than %d files", most)}
			case p == root && d.IsDir():
				return nil
			}
			r.Looked(0, 0, p)
			r.Pins.Pin(filepath.Dir(p))
			if err := take(p, d); err != nil {
				return err
			}
			if d.IsDir() && !recursive {
				return fs.SkipDir
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// PassBy has a walk go on after an error, without what cannot be read.
func (r *Job) PassBy(p string, d fs.DirEntry, err error) error {
	r.FoundProblem(tools.InputProblem(p, err))
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}
