package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"piwork/app/changes"
	"piwork/app/history"
	"piwork/app/problem"
	"piwork/app/task"
)

// OpenResult opens a result. The file is read by ranges; ctx must live
// as long as it is open.
func (c *Client) OpenResult(ctx context.Context, id string, index int) (io.ReadSeekCloser, task.Result, error) {
	t, err := c.Task(ctx, id)
	if err != nil {
		return nil, task.Result{}, err
	}
	if index < 0 || index >= len(t.Results) {
		return nil, task.Result{}, &problem.Problem{Code: problem.CodeNotFound, Severity: problem.Failed,
			Details: fmt.Sprintf("task %s has no result %d", id, index)}
	}
	f := &remoteFile{ctx: ctx, c: c, request: request{route: "GET /v1/tasks/{id}/results/{index}", path: []any{id, index}}}
	if err := f.begin(); err != nil { // now, so that a file that is gone is an error of opening it
		return nil, task.Result{}, err
	}
	return f, t.Results[index], nil
}

// OpenChange opens what a file held on one side of a change. It is read as OpenResult is.
func (c *Client) OpenChange(ctx context.Context, id, change string, side changes.Which) (io.ReadSeekCloser, history.ChangeFile, error) {
	f := &remoteFile{ctx: ctx, c: c, request: request{route: "GET /v1/tasks/{id}/changes/{change}/{side}", path: []any{id, change, side}}}
	if err := f.begin(); err != nil {
		return nil, history.ChangeFile{}, err
	}
	out := history.ChangeFile{Size: f.size, Type: f.header.Get("Content-Type")}
	if out.Type == "application/octet-stream" {
		out.Type = ""
	}
	if _, params, err := mime.ParseMediaType(f.header.Get("Content-Disposition")); err == nil {
		out.Name = params["filename"]
	}
	return f, out, nil
}

// remoteFile is a file behind GET requests; not for several goroutines.
type remoteFile struct {
	ctx     context.Context
	c       *Client
	request request
	size    int64
	off     int64
	body    io.ReadCloser // from off on; nil: not open

	header http.Header // of the last answer
}

// begin opens the file and learns how long it is: a record says how long it was.
func (f *remoteFile) begin() (err error) {
	if err := f.open(); err != nil {
		return err
	}
	if f.size, err = strconv.ParseInt(f.header.Get("Content-Length"), 10, 64); err != nil || f.size < 0 {
		_ = f.Close()
		return errors.New("the answer does not say how long the file is")
	}
	return nil
}

// open asks for what is from off on, of the file that it was at first. The body is closed by Close.
func (f *remoteFile) open() error {
	f.request.header = http.Header{}
	if f.off > 0 {
		f.request.header.Set("Range", fmt.Sprintf("bytes=%d-", f.off))
	}
	if tag := f.header.Get("ETag"); tag != "" {
		f.request.header.Set("If-Match", tag)
	}
	res, err := f.c.do(f.ctx, f.request)
	if err != nil {
		return err
	}
	if f.off > 0 && res.StatusCode != http.StatusPartialContent {
		_ = res.Body.Close()
		return fmt.Errorf("the answer to a range has status %s", res.Status)
	}
	f.body, f.header = res.Body, res.Header
	return nil
}

// Read implements io.Reader.
func (f *remoteFile) Read(b []byte) (int, error) {
	if f.off >= f.size {
		return 0, io.EOF
	}
	if f.body == nil {
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	n, err := f.body.Read(b[:min(int64(len(b)), f.size-f.off)])
	f.off += int64(n)
	if errors.Is(err, io.EOF) && f.off < f.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Seek implements io.Seeker.
func (f *remoteFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.off
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return f.off, errors.New("seek before the start of a result")
	}
	if offset != f.off {
		_ = f.Close()
		f.off = offset
	}
	return f.off, nil
}

// Close implements io.Closer; reading again opens it again.
func (f *remoteFile) Close() error {
	if f.body == nil {
		return nil
	}
	err := f.body.Close()
	f.body = nil
	return err
}
