package api_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/app/client"
)

// The pipe is the user's alone, answers, and nobody else can take its name meanwhile.
func TestPipe(t *testing.T) {
	path := `\\.\pipe\piwork-test-` + rand.Text()
	ln, err := api.ListenSocket(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := api.ListenSocket(path); err == nil {
		_ = again.Close()
		t.Error("a second pipe has the same name")
	}
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		t.Fatal(err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	owner, _, oerr := sd.Owner()
	list, _, derr := sd.DACL()
	if oerr != nil || derr != nil || !owner.Equals(user.User.Sid) || list == nil || list.AceCount != 1 {
		t.Errorf("its rights: %s (%v, %v)", sd, oerr, derr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- api.Serve(ctx, ln, newAPI(t, apitest.New(apitest.Script{}), api.Options{}).Handler()) }()
	if h, err := client.New(client.Socket(path), nil).Health(ctx); err != nil || h.Status != "ok" {
		t.Fatalf("health: %+v %v", h, err)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server did not end")
	}
	if _, err := client.New(client.Socket(path), nil).Health(t.Context()); !client.IsUnreachable(err) {
		t.Errorf("a pipe that is gone: %v", err)
	}
}
