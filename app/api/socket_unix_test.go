//go:build !windows

package api_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/client"
	"piwork/app/task"
)

// The socket is the user's alone, in the way of nothing, and gone afterwards.
func TestSocket(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	path := filepath.Join(dir, "s")
	ln, err := api.ListenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v %v", info.Mode(), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its directory: %v %v", info.Mode(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	a := newAPI(t, apitest.New(apitest.Script{}), api.Options{})
	go func() { ended <- api.Serve(ctx, ln, a.Handler()) }()

	c := client.New(client.Socket(path), nil)
	if h, err := c.Health(ctx); err != nil || h.Status != "ok" {
		t.Fatalf("health: %+v %v", h, err)
	}
	// An open stream does not hinder the end.
	opened := make(chan struct{})
	go func() {
		_ = c.Events(ctx, client.EventsOptions{Ready: opened}, func(task.Event) error { return nil })
	}()
	<-opened
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server did not end")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	_, err = c.Health(t.Context())
	if !client.IsUnreachable(err) {
		t.Errorf("a socket that is gone: %v", err)
	}
}

func TestSocketRefuses(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale")
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false) // as a killed program leaves it
	_ = ln.Close()
	again, err := api.ListenSocket(stale)
	if err != nil {
		t.Fatalf("a stale socket: %v", err)
	}
	_ = again.Close()

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := api.ListenSocket(file); err == nil {
		t.Error("a file was replaced by the socket")
	}
	if got, _ := os.ReadFile(file); string(got) != "mine" {
		t.Error("the file is gone")
	}
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := api.ListenSocket(filepath.Join(open, "s")); err == nil {
		t.Error("a socket in a directory that others can change")
	}
}
