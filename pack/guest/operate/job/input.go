package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"piwork/pack/tools"
	"piwork/pack/tools/picture"
)

// ContextReader ends reading when ctx does: a share answers call by call, so
// this is the place where a long copy can stop.
type ContextReader struct {
	Ctx context.Context
	R   io.Reader
}

func (c ContextReader) Read(b []byte) (int, error) {
	if err := c.Ctx.Err(); err != nil {
		return 0, err
	}
	return c.R.Read(b)
}

// OpenInput opens a regular file of at most limit bytes, as [openBeneath] does.
func OpenInput(path string, limit int64) (*os.File, fs.FileInfo, error) {
	// Without O_NONBLOCK opening a FIFO would wait for a writer.
	f, err := openBeneath(path, os.O_RDONLY|nonBlock)
	if err != nil {
		return nil, nil, RefuseInput(path, err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		err = RefuseInput(path, err)
	case !st.Mode().IsRegular():
		err = Refuse(tools.InputUnsupported, path, "not a file but "+kind(st.Mode()))
	default:
		err = tooLong(path, st.Size(), limit)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, st, nil
}

func kind(m fs.FileMode) string {
	if m.IsDir() {
		return "a folder"
	}
	return "a " + m.Type().String()
}

// WriteError marks an error of the copy's side.
type WriteError struct{ error }

func (e WriteError) Unwrap() error { return e.error }

// MarkWriter tells errors of writing from those of reading.
type MarkWriter struct{ W io.Writer }

func (m MarkWriter) Write(b []byte) (int, error) {
	n, err := m.W.Write(b)
	if err != nil {
		err = WriteError{err}
	}
	return n, err
}

// Seen is what reading an input once found.
type Seen struct {
	tools.ImageInfo
	Info picture.Info
}

// ReadPicture reads a picture from its beginning, once: checks it, hashes it and,
// with a copy, writes it there.
func ReadPicture(ctx context.Context, from *Source, copyTo io.Writer) (Seen, error) {
	if err := tooLong(from.Path, from.st.Size(), tools.MaxPictureSize); err != nil {
		return Seen{}, err
	}
	path := from.Path
	sum := sha256.New()
	var sink io.Writer = sum
	if copyTo != nil {
		sink = io.MultiWriter(sum, MarkWriter{copyTo})
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
		return Seen{}, pictureError(ctx, path, err)
	}
	if err := TooLarge(path, info); err != nil {
		return Seen{}, err
	}
	return Seen{
		Info: info,
		ImageInfo: tools.ImageInfo{
			Path: path, Format: string(info.Format), Width: info.Width, Height: info.Height, Orientation: info.Orientation,
			Alpha: info.Alpha, Frames: info.Frames, Taken: info.Taken, Size: from.n, SHA256: hex.EncodeToString(sum.Sum(nil)),
		},
	}, nil
}

func pictureError(ctx context.Context, path string, err error) error {
	var bad *picture.Error
	var write WriteError
	switch {
	case errors.As(err, &bad):
		code := tools.InputBroken
		if bad.Unsupported {
			code = tools.InputUnsupported
		}
		return Refuse(code, path, bad.Detail)
	case errors.As(err, &write):
		return write
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return RefuseInput(path, err)
}

// TooLarge bounds what is decoded here, or by whoever opens the result.
func TooLarge(path string, info picture.Info) error {
	if info.Width > tools.MaxSide || info.Height > tools.MaxSide || int64(info.Width)*int64(info.Height) > tools.MaxPixels {
		return Refuse(tools.InputTooLarge, path, fmt.Sprintf("%d × %d pixels", info.Width, info.Height))
	}
	return nil
}
