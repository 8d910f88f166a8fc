package operate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"piwork/pack/tools"
	"piwork/pack/tools/picture"
	"piwork/vmhost/wire"
)

// contextReader ends reading when ctx does: a share answers call by call, so
// this is the place where a long copy can stop.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// openInput opens a regular file of at most limit bytes, as [openBeneath] does.
func openInput(path string, limit int64) (*os.File, fs.FileInfo, *wire.ToolProblem) {
	fail := func(p wire.ToolProblem) (*os.File, fs.FileInfo, *wire.ToolProblem) { return nil, nil, &p }
	// Without O_NONBLOCK opening a FIFO would wait for a writer.
	f, err := openBeneath(path, os.O_RDONLY|nonBlock)
	if err != nil {
		return fail(tools.InputProblem(path, err))
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		f.Close()
		return fail(tools.InputProblem(path, err))
	case !st.Mode().IsRegular():
		f.Close()
		return fail(tools.Problem(tools.InputUnsupported, path, "not a file but "+kind(st.Mode())))
	}
	if p := tooLong(path, st.Size(), limit); p != nil {
		f.Close()
		return fail(*p)
	}
	return f, st, nil
}

func kind(m fs.FileMode) string {
	if m.IsDir() {
		return "a folder"
	}
	return "a " + m.Type().String()
}

// writeError marks an error of the copy's side.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// markWriter tells errors of writing from those of reading.
type markWriter struct{ w io.Writer }

func (m markWriter) Write(b []byte) (int, error) {
	n, err := m.w.Write(b)
	if err != nil {
		err = writeError{err}
	}
	return n, err
}

// seen is what reading an input once found.
type seen struct {
	tools.ImageInfo
	info picture.Info
}

// readPicture reads a picture from its beginning, once: checks it, hashes it and,
// with a copy, writes it there. The problem is about this input; the error is about
// the whole operation.
func readPicture(ctx context.Context, from *source, copyTo io.Writer) (seen, *wire.ToolProblem, error) {
	if p := from.atMost(tools.MaxPictureSize); p != nil {
		return seen{}, p, nil
	}
	path := from.path
	sum := sha256.New()
	var sink io.Writer = sum
	if copyTo != nil {
		sink = io.MultiWriter(sum, markWriter{copyTo})
	}
	aside := newBeside(sink)
	var info picture.Info
	err := from.tap(aside)
	if err == nil {
		info, err = picture.Inspect(from.r, from.f, from.st.Size())
	}
	if cerr := aside.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		p, err := pictureProblem(ctx, path, err)
		return seen{}, p, err
	}
	if p := tooLarge(path, info); p != nil {
		return seen{}, p, nil
	}
	return seen{
		info: info,
		ImageInfo: tools.ImageInfo{
			Path: path, Format: string(info.Format), Width: info.Width, Height: info.Height, Orientation: info.Orientation,
			Alpha: info.Alpha, Frames: info.Frames, Taken: info.Taken, Size: from.n, SHA256: hex.EncodeToString(sum.Sum(nil)),
		},
	}, nil, nil
}

// takenAt is when a picture was taken, by its camera, else when the file was
// changed.
func (r *run) takenAt(ctx context.Context, f found) (time.Time, error) {
	from, problem := openSource(ctx, f.path)
	if problem != nil {
		return f.info.ModTime(), nil
	}
	defer from.close()
	s, problem, err := readPicture(ctx, from, nil)
	if err != nil || problem != nil || s.Taken == "" {
		return f.info.ModTime(), err
	}
	t, err := time.Parse(time.RFC3339, s.Taken)
	if err != nil {
		return f.info.ModTime(), nil
	}
	return t, nil
}

func pictureProblem(ctx context.Context, path string, err error) (*wire.ToolProblem, error) {
	var bad *picture.Error
	var write writeError
	switch {
	case errors.As(err, &bad):
		code := tools.InputBroken
		if bad.Unsupported {
			code = tools.InputUnsupported
		}
		p := tools.Problem(code, path, bad.Detail)
		return &p, nil
	case errors.As(err, &write):
		return nil, write
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	p := tools.InputProblem(path, err)
	return &p, nil
}

// tooLarge bounds what is decoded here, or by whoever opens the result.
func tooLarge(path string, info picture.Info) *wire.ToolProblem {
	if info.Width > tools.MaxSide || info.Height > tools.MaxSide || int64(info.Width)*int64(info.Height) > tools.MaxPixels {
		p := tools.Problem(tools.InputTooLarge, path, fmt.Sprintf("%d × %d pixels", info.Width, info.Height))
		return &p
	}
	return nil
}
