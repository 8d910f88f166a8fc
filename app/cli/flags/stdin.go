package flags

import (
	"context"
	"io"

	"piwork/app/cli/terminal"
)

// maxStdin is how long a text can be that is read from the standard input, in bytes.
const maxStdin = 512 << 10

// ReadStdin reads the whole standard input.
func ReadStdin(ctx context.Context, r io.Reader) ([]byte, error) {
	b, err := ReadUpTo(ctx, r, maxStdin+1)
	if err != nil {
		return nil, err
	}
	if len(b) > maxStdin {
		return nil, Usage("stdin-large", "bytes", maxStdin)
	}
	return b, nil
}

// ReadUpTo reads a stream that may be the standard input, as far as so many bytes, or until ctx ends.
func ReadUpTo(ctx context.Context, r io.Reader, bytes int64) ([]byte, error) {
	return terminal.Await(ctx, func() ([]byte, error) { return io.ReadAll(io.LimitReader(r, bytes)) })
}
