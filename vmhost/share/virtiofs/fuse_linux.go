package virtiofs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"piwork/vmhost/share"
	"piwork/vmhost/share/drive"
)

// ServeFUSE serves the folders to this computer's own kernel: device is an open /dev/fuse
// with which a file system was mounted. It returns nil when that is mounted nowhere any
// more. When ctx ends, what waits for a person fails, so that the programs which wait can
// be ended; whoever mounted it takes the mount away. Then it waits no longer than o.Patience for
// what a drive does not answer. All files belong to o.Owner of the user
// namespace in which it is mounted.
func ServeFUSE(ctx context.Context, device *os.File, set *share.Set, o Options) error {
	o.Log, o.Patience = cmp.Or(o.Log, slog.Default()), cmp.Or(o.Patience, drive.Farewell())
	fd, err := unix.FcntlInt(device.Fd(), unix.F_DUPFD_CLOEXEC, 3) // the server closes it
	if err != nil {
		return fmt.Errorf("FUSE: %w", err)
	}
	files := newFileSystem(set)
	files.owner = fuse.Owner{Uid: uint32(o.Owner), Gid: uint32(o.Owner)}
	defer context.AfterFunc(ctx, files.end)()
	server, err := fuse.NewServer(local{files}, "/dev/fd/"+strconv.Itoa(fd), options(o.Log))
	if err != nil {
		files.close()
		return fmt.Errorf("FUSE: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		server.Serve()
		files.close()
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		o.leave(ended)
	}
	return nil
}

// local is a file system whose client is this computer's kernel.
type local struct{ *fileSystem }

// Read reads from a file; for a machine, session.handle does.
func (f local) Read(_ <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	file, err := f.handles.file(in.Fh)
	if err != nil {
		return nil, status(err)
	}
	if in.Offset > math.MaxInt64 {
		return nil, fuse.EINVAL
	}
	n, err := file.ReadvAt([][]byte{buf}, int64(in.Offset))
	if err != nil && !errors.Is(err, io.EOF) && n == 0 {
		return nil, status(err)
	}
	return fuse.ReadResultData(buf[:n]), fuse.OK
}
