package channel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Fetcher gets a file of a repository. path is relative to the repository, with
// slashes ("metadata/3.root.json"). It returns at most max bytes, and an [Error] of
// [KindTooLarge] when there are more. A file that is not there is an error that wraps
// fs.ErrNotExist; that a server could not be asked must not look like this.
// Calls come one at a time.
type Fetcher interface {
	Fetch(ctx context.Context, path string, max int64) ([]byte, error)
}

// FromFS fetches from a repository that is at hand: a directory (os.DirFS), or
// the channel of a bundle.
func FromFS(fsys fs.FS) Fetcher { return fsFetcher{fsys} }

type fsFetcher struct{ fsys fs.FS }

func (f fsFetcher) Fetch(ctx context.Context, path string, max int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, max+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if int64(len(data)) > max {
		return nil, fail(KindTooLarge, path, "more than %d bytes", max)
	}
	return data, nil
}

// fetch gets a file and trusts the fetcher with nothing: neither with the bound
// nor with an end.
func fetch(ctx context.Context, f Fetcher, path string, max int64) ([]byte, error) {
	type answer struct {
		data []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() { // ends with the fetcher, which ends with ctx; its answer fits the channel
		data, err := f.Fetch(ctx, path, max)
		done <- answer{data, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		return nil, fail(KindUnreachable, path, "%w", context.Cause(ctx))
	}
	var e *Error
	switch {
	case a.err == nil && int64(len(a.data)) > max:
		return nil, fail(KindTooLarge, path, "%d bytes, more than %d", len(a.data), max)
	case a.err == nil:
		return a.data, nil
	case errors.As(a.err, &e):
		return nil, e
	case errors.Is(a.err, fs.ErrNotExist) && ctx.Err() == nil:
		return nil, &Error{Kind: KindMissing, File: path, Err: a.err}
	}
	return nil, &Error{Kind: KindUnreachable, File: path, Err: a.err}
}
