// Package errno translates errors of shared folders to what a guest knows: the
// error numbers of Linux.
package errno

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share"
	"piwork/vmhost/share/guard"
	"piwork/vmhost/share/internal/at"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/share/review"
)

// known are errors that have no number of the host, and what the guest hears.
var known = []struct {
	err error
	no  linux.Errno
}{
	{share.ErrReadOnly, linux.EROFS},
	{share.ErrTooManyOpen, linux.EMFILE},
	{share.ErrGone, linux.ESTALE},
	{guard.ErrDenied, linux.EACCES},
	{share.ErrStub, linux.EPERM},
	{share.ErrFetch, linux.EREMOTEIO},
	{context.Canceled, linux.EINTR}, // while it waited for a person
	{at.ErrLink, linux.ELOOP},
	{at.ErrName, linux.EINVAL},
	{at.ErrSpecial, linux.EPERM},
	{journal.ErrFull, linux.EDQUOT},
	{review.ErrFull, linux.EDQUOT},
	{review.ErrClosed, linux.ENODEV},
	{journal.ErrRaced, linux.ESTALE},
	{journal.ErrClosed, linux.ENODEV},
	{os.ErrClosed, linux.ENODEV}, // the folder was removed from the set
	{fs.ErrNotExist, linux.ENOENT},
	{fs.ErrExist, linux.EEXIST},
	{fs.ErrPermission, linux.EACCES},
	{fs.ErrInvalid, linux.EINVAL},
	{at.ErrUnsupported, linux.EOPNOTSUPP},
	{io.ErrUnexpectedEOF, linux.EIO},
}

// Of is the number by which the guest's kernel knows an error: Linux's,
// whatever the host is. What nobody knows is EIO.
func Of(err error) linux.Errno {
	var no linux.Errno
	if errors.As(err, &no) {
		return no
	}
	if no, ok := hostErrno(err); ok {
		return no
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return k.no
		}
	}
	return linux.EIO
}
