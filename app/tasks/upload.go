package tasks

import (
	"context"

	"piwork/app/problem"
	"piwork/app/task"
	"piwork/app/uploads"
)

// NewUpload makes a place for the files that come with a request.
func (c *Runner) NewUpload(ctx context.Context) (*uploads.Upload, error) {
	u, err := c.uploads.New(task.ClientOf(ctx))
	if err != nil {
		return nil, problem.From(err)
	}
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
