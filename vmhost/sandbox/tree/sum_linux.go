package tree

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"runtime"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// sumOf is a sum over what the file system says of everything in a tree: names, modes,
// sizes, inodes, and when they were changed last, which a program cannot set. Nothing is read
// but directories. Each of them is visited before, several at once; visit may be nil.
func sumOf(ctx context.Context, place string, visit func(dir string)) (string, error) {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(2, runtime.NumCPU()))
	sum, err := sumDir(ctx, work, place, visit)
	if werr := work.Wait(); err == nil {
		err = werr
	}
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum()), nil
}

// sumDir sums a directory up. What it returns may be called when all work is done.
func sumDir(ctx context.Context, work *errgroup.Group, dir string, visit func(dir string)) (func() []byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if visit != nil {
		visit(dir)
	}
	entries, err := os.ReadDir(dir) // by name
	if err != nil {
		return nil, err
	}
	b, err := entryStamp(nil, dir, "")
	if err != nil {
		return nil, err
	}
	below := make([]func() []byte, len(entries))
	for n, e := range entries {
		path := dir + "/" + e.Name()
		if b, err = entryStamp(b, path, e.Name()); err != nil {
			return nil, err
		}
		if !e.IsDir() {
			continue
		}
		later := func() error {
			sum, err := sumDir(ctx, work, path, visit)
			below[n] = sum
			return err
		}
		if !work.TryGo(later) {
			if err := later(); err != nil {
				return nil, err
			}
		}
	}
	return func() []byte {
		for _, sum := range below {
			if sum != nil {
				b = append(b, sum()...)
			}
		}
		sum := sha256.Sum256(b)
		return sum[:]
	}, nil
}

// entryStamp appends what the file system says of a name.
func entryStamp(b []byte, path, name string) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return nil, &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	b = append(append(b, name...), 0)
	for _, n := range []int64{
		int64(st.Mode), int64(st.Uid), st.Size, int64(st.Ino), st.Mtim.Sec, st.Mtim.Nsec, st.Ctim.Sec, st.Ctim.Nsec,
	} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b, nil
}
