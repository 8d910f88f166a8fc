package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"piwork/app/problem"
	"piwork/app/task"
)

// errNoPack is returned by packSource.current where none is installed.
var errNoPack = errors.New("no runtime pack is installed")

// packEvents is how often at most a running installation says how far it is.
const packEvents = 200 * time.Millisecond

// Packs lists the installed runtime packs.
func (c *Controller) Packs(ctx context.Context) ([]PackInfo, error) {
	packs, err := c.s.packs.list(ctx)
	if err != nil {
		return nil, problem.From(err)
	}
	return nonNil(packs), nil
}

// VerifyPack reads a pack's file to its end and keeps nothing.
func (c *Controller) VerifyPack(ctx context.Context, file string) (PackInfo, error) {
	if err := packFile(file); err != nil {
		return PackInfo{}, err
	}
	info, err := c.s.packs.verifyFile(ctx, file)
	if err != nil {
		return info, problem.From(err)
	}
	return info, nil
}

// packFile refuses what is no file. Of whoever asks, the controller does not know the
// working directory.
func packFile(file string) error {
	if err := plainPath("file", file); err != nil {
		return err
	}
	switch st, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist), err == nil && !st.Mode().IsRegular():
		return problem.New(problem.CodeInputMissing).With("path", file).With("name", filepath.Base(file)).Because(err)
	case err != nil:
		return problem.New(problem.CodeInputUnreadable).With("path", file).With("name", filepath.Base(file)).Because(err)
	}
	return nil
}

// InstallPack installs a pack, an add-on or a bundle; see Service. Everybody
// hears of the progress; progress may be nil.
func (c *Controller) InstallPack(ctx context.Context, file string, progress func(done, total int64)) (PackInfo, error) {
	if err := packFile(file); err != nil {
		return PackInfo{}, err
	}
	got, err := c.keeper.Install(ctx, file, c.tellPack(progress))
	if err != nil {
		return PackInfo{}, problem.From(err)
	}
	c.packChanged() // the next Status looks at the new pack
	return c.s.packs.describe(got[0].Pack), nil
}

// tellPack tells everybody, and the caller, how many bytes are done.
func (c *Controller) tellPack(progress func(done, total int64)) func(done, total int64) {
	last := time.Time{}
	return func(done, total int64) {
		if progress != nil {
			progress(done, total)
		}
		if now := c.now(); done == total || now.Sub(last) >= packEvents {
			last = now
			c.events.Publish(task.Event{Kind: task.EventPack, Data: task.PackData{Done: done, Total: total}})
		}
	}
}
