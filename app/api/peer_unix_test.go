//go:build linux || darwin

package api

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// Whoever connects as another user than the socket's is hung up on, and the next one is accepted.
func TestPeerOfAnotherUser(t *testing.T) {
	for name, uid := range map[string]int{"the same user": os.Getuid(), "another user": os.Getuid() + 1} {
		path := filepath.Join(t.TempDir(), "s")
		under, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		ln := &sameUser{Listener: under, uid: uid}
		taken := make(chan bool, 1)
		go func() {
			c, err := ln.Accept()
			if err == nil {
				_ = c.Close()
			}
			taken <- err == nil
		}()
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Read(make([]byte, 1)) // until it is closed
		_ = ln.Close()
		if got, want := <-taken, uid == os.Getuid(); got != want {
			t.Errorf("%s is accepted: %v", name, got)
		}
		_ = c.Close()
	}
}
