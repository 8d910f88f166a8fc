package share

import (
	"context"
	"errors"
	"fmt"
	"path"

	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/online"
)

// What is only with a cloud service, and is downloaded because a guest, or the journal, reads it:
// package online says what that is, the guard of bytes how much of it may be.

// ErrStub refuses to change what stands for a file that is only in iCloud. To the guest it is
// EPERM.
var ErrStub = errors.New("the file is only in iCloud: download it in Finder before it is changed here")

// ErrFetch is of a file that is only online and was not downloaded: its service did not give it, or
// a person did not want it. To the guest it is EREMOTEIO.
var ErrFetch = errors.New("the file is only online and was not downloaded: check the connection and whether its cloud service runs")

// isStub reports whether a name stands for a file of iCloud; tests replace it.
var isStub = online.Stub

// changeable is ErrStub for paths of which one is not to be changed, nor made.
func changeable(rels ...string) error {
	for _, rel := range rels {
		if isStub(path.Base(rel)) {
			return ErrStub
		}
	}
	return nil
}

// fetch asks for the download of a file before it is read; any other needs none.
func (t *Tree) fetch(g *guard.Guard, rel string, info at.Info) error {
	if g == nil || !info.Online {
		return nil
	}
	err := g.Fetch(t.folder.ID, rel, info.ID, info.Size)
	if w, is := errors.AsType[Waiter](err); is {
		return &waiting{download{w}, t}
	}
	return unwanted(err)
}

// download is a Waiter for the answer whether a file is downloaded.
type download struct{ Waiter }

func (d download) Wait(ctx context.Context) error { return unwanted(d.Waiter.Wait(ctx)) }

// unwanted is ErrFetch for a download that a person did not want.
func unwanted(err error) error {
	if errors.Is(err, guard.ErrDenied) {
		return notFetched(err)
	}
	return err
}

// loses does what takes the name rel away, after asking for the download of what is there: the
// journal keeps it. A layer for review keeps nothing, and has no guard.
func (t *Tree) loses(rel string, do func() error) error {
	if t.folder.Guard == nil {
		return do()
	}
	info, err := t.store.Lstat(rel)
	if err != nil || !info.Online {
		return do()
	}
	if err := t.fetch(t.folder.Guard, rel, info); err != nil {
		return err
	}
	return fetched(do())
}

// fetched is the error of a call that reads a file that was only online.
func fetched(err error) error {
	if online.Failed(err) {
		return notFetched(err)
	}
	return err
}

// notFetched says ErrFetch, in the place of a number that the guest would be told otherwise.
func notFetched(err error) error { return fmt.Errorf("%w: %s", ErrFetch, err) } //nolint:errorlint // on purpose
