package tasks

import (
	"context"
	"path/filepath"

	"piwork/app/problem"
	"piwork/app/uploads"
)

// Uploader keeps files that come with a request. A service that is this
// computer's own is one; a client of another process is not.
type Uploader interface {
	NewUpload(ctx context.Context) (*uploads.Upload, error)
}

var _ Uploader = (*Runner)(nil)

// NewUpload implements Uploader.
func (c *Runner) NewUpload(context.Context) (*uploads.Upload, error) {
	u, err := uploads.New(filepath.Join(c.o.DataDir, uploads.Dir))
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
