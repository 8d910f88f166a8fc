package tasks

import (
	"context"

	"piwork/app/problem"
	"piwork/app/registry"
	"piwork/app/task"
	"piwork/app/uploads"
)

// NewUpload makes a place for the files that come with a request. The program is at work
// until it is closed, and closes it when it ends.
func (c *Runner) NewUpload(ctx context.Context) (*uploads.Upload, error) {
	during, done, err := c.o.Registry.UseFor(c.o.Registry.Base(), registry.Use{What: registry.UseUpload})
	if err != nil {
		return nil, err
	}
	u, err := c.uploads.New(task.ClientOf(ctx), done)
	if err != nil {
		done()
		return nil, problem.From(err)
	}
	context.AfterFunc(during, func() { _ = u.Close() })
	return u, nil
}

// Release removes the files that came with a request. A Service calls it at the
// end of the task.
func (r StartRequest) Release() error {
	if r.upload == nil {
		return nil
	}
	return r.upload.Close()
}
