package flags

import "io"

// maxStdin is how long a text can be that is read from the standard input, in bytes.
const maxStdin = 512 << 10

// ReadStdin reads the whole standard input.
func ReadStdin(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxStdin+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxStdin {
		return nil, Usage("stdin-large", "bytes", maxStdin)
	}
	return b, nil
}
