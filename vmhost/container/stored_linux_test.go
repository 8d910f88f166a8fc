package container

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/image"

	"piwork/vmhost"
)

// What an owner's images take is known, and those go that no container is made of: never one of
// somebody else, nor one that the engine says is in use.
func TestStoredImages(t *testing.T) {
	f := newFake(t)
	own := map[string]string{labelOwner: "me", labelImage: "0123456789abcdef"}
	f.images = []image.Summary{
		{ID: fakeID(1), Labels: own, Size: 1},
		{ID: fakeID(2), Labels: own, Size: 20},
		{ID: fakeID(3), Labels: own, Size: 300},
		{ID: fakeID(4), Labels: map[string]string{labelOwner: "another", labelImage: "0123456789abcdef"}, Size: 4000},
		{ID: fakeID(5), Labels: map[string]string{labelOwner: "me"}, Size: 5000},
		{ID: "piwork:latest", Labels: own, Size: 6000},
	}
	f.answer["/containers/json"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		write(w, []container.Summary{{ID: "1", ImageID: fakeID(2), Labels: map[string]string{labelOwner: "me"}, State: "exited"}})
	}
	f.answer["/images/"+fakeID(3)] = status(http.StatusConflict, "in use")
	run := t.TempDir() // as podman-docker has it, the sockets of both are one
	err := errors.Join(os.Mkdir(filepath.Join(run, "podman"), 0o700), os.Symlink(f.socket, filepath.Join(run, "podman", "podman.sock")), os.Symlink(f.socket, filepath.Join(run, "docker.sock")))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("XDG_RUNTIME_DIR", run)
	if s, there, err := FindStored(t.Context(), "me"); s != (Stored{Bytes: 321, Frees: 301}) || !there || err != nil {
		t.Errorf("%+v %t %v", s, there, err)
	}
	importing <- struct{}{} // a task is about to make a container
	err = RemoveStored(t.Context(), "me")
	<-importing
	if _, _, left := f.seen(); err != nil || len(left) != 6 {
		t.Errorf("left %q, %v", left, err)
	}
	err = RemoveStored(t.Context(), "me")
	if _, _, left := f.seen(); err != nil || !slices.Equal(left, []string{fakeID(2), fakeID(3), fakeID(4), fakeID(5), "piwork:latest"}) {
		t.Errorf("left %q, %v", left, err)
	}
	for _, c := range f.calls {
		if strings.HasPrefix(c, "DELETE") && !strings.HasSuffix(c, fakeID(1)) && !strings.HasSuffix(c, fakeID(3)) {
			t.Error(c)
		}
	}
}

// An engine that does not answer is said, in its time; where there is none, nothing is stored.
func TestStoredImagesOfNoEngine(t *testing.T) {
	f := newFake(t)
	f.answer["/images/json"] = hang
	t.Setenv("DOCKER_HOST", "unix://"+f.socket)
	_, there, err := findStored(t.Context(), "me", 100*time.Millisecond)
	var failed *vmhost.FailedError
	if !there || !errors.As(err, &failed) || failed.Reason != vmhost.ReasonEngineLost {
		t.Errorf("%t %v", there, err)
	}
	t.Setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
	if s, there, err := FindStored(t.Context(), "me"); s != (Stored{}) || there || err != nil {
		t.Errorf("%+v %t %v", s, there, err)
	}
	if err := RemoveStored(t.Context(), "me"); err != nil {
		t.Error(err)
	}
}
