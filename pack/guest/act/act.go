package act

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"piwork/vmhost/wire"
)

// maxOrder is the longest order, in bytes.
const maxOrder = 1 << 20

// Main is the whole process. Its exit code says whether it could answer, not what.
func Main(ctx context.Context, in io.Reader, out, words io.Writer) int {
	r := bufio.NewReaderSize(in, 64<<10)
	line, err := readLine(r, maxOrder)
	var order wire.ActOrder
	if err == nil {
		err = json.Unmarshal(line, &order)
	}
	if err != nil {
		fmt.Fprintln(words, "an action's order:", err)
		return 2
	}
	s := &speaker{out: bufio.NewWriter(out)}
	switch {
	case order.File != nil:
		err = s.file(ctx, *order.File, r)
	case order.Fetch != nil:
		err = s.fetch(ctx, *order.Fetch)
	case order.Page != nil:
		err = s.page(ctx, *order.Page)
	default:
		fmt.Fprintln(words, "an order without an action")
		return 2
	}
	if err != nil {
		fmt.Fprintln(words, err)
		return 1
	}
	return 0
}

// readLine reads a line of at most limit bytes.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var all []byte
	for {
		part, err := r.ReadSlice('\n')
		if all = append(all, part...); len(all) > limit {
			return nil, wire.ErrLineTooLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return all, err
		}
	}
}

// speaker tells what comes of an action. Once something could not be said, nothing more is.
type speaker struct {
	out *bufio.Writer
	err error
}

// say writes one line, and then data.
func (s *speaker) say(n wire.ActNews, data []byte) error {
	line, err := json.Marshal(n)
	if err == nil && len(line) >= wire.MaxActLine {
		line, err = json.Marshal(wire.ActNews{Failed: &wire.ActFailure{Code: wire.ActTooMuch}})
		data = nil
	}
	if s.err == nil {
		s.err = err
	}
	for _, b := range [][]byte{line, []byte("\n"), data} {
		if s.err == nil {
			_, s.err = s.out.Write(b)
		}
	}
	if s.err == nil {
		s.err = s.out.Flush()
	}
	return s.err
}

// failed says why an action could not be done.
func (s *speaker) failed(path string, err error) error {
	return s.say(wire.ActNews{Failed: failure(path, err)}, nil)
}

// A refusal is a failure with its code.
type refusal struct {
	code   string
	sha256 string // of ActChanged
	err    error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

func refuse(code, format string, args ...any) error {
	return &refusal{code: code, err: fmt.Errorf(format, args...)}
}

// notDownloaded is EREMOTEIO of Linux; see package tools.
const notDownloaded = syscall.Errno(0x79)

// failure turns an error into what is said of it.
func failure(path string, err error) *wire.ActFailure {
	f := &wire.ActFailure{Code: wire.ActFailed, Path: path, Detail: err.Error()}
	f.Detail = strings.ToValidUTF8(f.Detail[:min(len(f.Detail), wire.MaxDetail-8)], "?")
	var known *refusal
	switch {
	case errors.As(err, &known):
		f.Code, f.SHA256 = known.code, known.sha256
	case strings.Contains(err.Error(), "path escapes from parent"): // os.Root has no value for it
		f.Code = wire.ActOutside
	case errors.Is(err, fs.ErrNotExist):
		f.Code = wire.ActMissing
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO):
		f.Code = wire.ActKind
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		f.Code = wire.ActDenied
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f.Code = wire.ActFull
	case errors.Is(err, notDownloaded):
		f.Code = wire.ActOnline
	case errors.Is(err, syscall.ENAMETOOLONG):
		f.Code = wire.ActName
	}
	return f
}
