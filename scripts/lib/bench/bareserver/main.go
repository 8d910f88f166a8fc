// Command bareserver is what piwork's controller is compared with: it takes the lock of a
// data directory, reads every file below the directories that it is given, and answers on a
// socket. Its line says that it does.
//
//	bareserver SOCKET DIRECTORY…
package main

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bareserver:", err)
		os.Exit(1)
	}
}

func run(socket string, dirs []string) error {
	if err := flock.New(filepath.Join(dirs[0], "bare.lock")).Lock(); err != nil {
		return err
	}
	read := 0
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			read += len(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	ln, err := new(net.ListenConfig).Listen(context.Background(), "unix", socket)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, read)
	return http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, read)
	}))
}
