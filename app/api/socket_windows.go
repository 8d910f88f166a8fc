package api

import (
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// ListenSocket opens the named pipe at path (\\.\pipe\…) for this user alone: nobody else, nor
// another computer, may connect, and none of that name may be there already.
func ListenSocket(path string) (net.Listener, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("whose the pipe is: %w", err)
	}
	me := user.User.Sid.String()
	ln, err := winio.ListenPipe(path, &winio.PipeConfig{SecurityDescriptor: "O:" + me + "D:P(A;;GA;;;" + me + ")"})
	if err != nil {
		return nil, fmt.Errorf("listen on the pipe %s: %w", path, err)
	}
	return ln, nil
}
