package container

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/types/image"

	"piwork/vmhost"
)

// seen is what a fake engine was asked for.
func (f *fakeEngine) seen() (imports int, asked []string, images []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if strings.HasSuffix(c, "/images/create") {
			imports++
		}
	}
	for _, i := range f.images {
		images = append(images, i.ID)
	}
	return imports, slices.Clone(f.asked), images
}

// An image that only says by its labels that it is of this program is not run: its own is
// made, and run by its ID. So it is with every engine, tree and agent that is another one,
// and where nothing is noted any more.
func TestForgedImage(t *testing.T) {
	f := newFake(t)
	c := fakeConfig(t, f)
	forged := image.Summary{ID: fakeID(99), RepoTags: []string{"piwork:latest"}, Labels: map[string]string{labelImage: c.Digest, labelOwner: c.Owner}}
	forge := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.images = append(f.images, forged)
	}
	forge()
	connect(t, c)
	if imports, asked, images := f.seen(); imports != 1 || !slices.Equal(asked, []string{fakeID(1)}) || !slices.Equal(images, asked) {
		t.Errorf("%d imports, containers of %q, left %q", imports, asked, images)
	}
	forge() // once there is one of its own
	connect(t, c)
	if imports, asked, _ := f.seen(); imports != 1 || asked[1] != fakeID(1) {
		t.Errorf("%d imports, containers of %q", imports, asked)
	}

	for name, change := range map[string]func() error{
		"nothing is noted":        func() error { return os.Remove(c.Imports) },
		"the note is no list":     func() error { return os.WriteFile(c.Imports, []byte(`{"image":"x"`), 0o600) },
		"the note is of no image": func() error { return os.WriteFile(c.Imports, []byte(`[{"image":"piwork:latest"}]`), 0o600) },
		"the agent is another":    func() error { return os.WriteFile(c.Agent, []byte("another"), 0o755) },
		"the engine is another": func() error {
			f.answer["/info"] = text(strings.Replace(goodInfo, "{", `{"ID":"another",`, 1))
			return nil
		},
		"the tree is another":      func() error { c.Digest = "fedcba9876543210"; return nil },
		"the engine has none left": func() error { f.mu.Lock(); defer f.mu.Unlock(); f.images = nil; return nil },
	} {
		before, _, _ := f.seen()
		if err := change(); err != nil {
			t.Fatal(err)
		}
		forge()
		connect(t, c)
		if imports, asked, _ := f.seen(); imports != before+1 || asked[len(asked)-1] != fakeID(imports) {
			t.Errorf("%s: %d imports, a container of %q", name, imports, asked[len(asked)-1])
		}
	}
}

// An engine that makes the container of another image, as of one that has the ID for its
// name, starts nothing.
func TestContainerOfAnotherImage(t *testing.T) {
	f := newFake(t)
	f.ran = fakeID(99)
	if failed := connect(t, fakeConfig(t, f)); failed.Reason != vmhost.ReasonEngineLost || !strings.Contains(failed.Error(), fakeID(99)) {
		t.Errorf("%v", failed)
	}
	for _, c := range f.calls {
		if strings.HasSuffix(c, "/start") || strings.HasSuffix(c, "/attach") {
			t.Errorf("%q", f.calls)
		}
	}
}

// Who gives up does not wait until somebody else's image is imported.
func TestImportOfAnother(t *testing.T) {
	f := newFake(t)
	c := fakeConfig(t, f)
	begun, end := make(chan struct{}), make(chan struct{})
	f.answer["/images/create"] = func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(begun)
		<-end
		write(w, map[string]string{"error": "no"})
	}
	first := make(chan struct{})
	go func() { connect(t, c); close(first) }()
	<-begun
	e, err := find(t.Context(), &c)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	changed := errors.New("changed my mind")
	gone, cancel := context.WithCancelCause(t.Context())
	cancel(changed)
	given := make(chan error, 1)
	go func() { given <- e.withImage(gone, &c, nil) }()
	select {
	case err := <-given:
		if !errors.Is(err, changed) {
			t.Errorf("%v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for somebody else's image")
	}
	close(end)
	<-first
}

// A task of another pack, which removes the images of others, leaves that of which a container is
// being made.
func TestImageOfATaskThatBegins(t *testing.T) {
	f := newFake(t)
	c := fakeConfig(t, f)
	other := c
	other.Digest, other.Dir = "fedcba9876543210", filepath.Join(t.TempDir(), "container")
	var first sync.Once
	var both sync.WaitGroup
	f.answer["/containers/create"] = func(w http.ResponseWriter, r *http.Request) {
		first.Do(func() {
			both.Go(func() { connect(t, other) })
			for began := time.Now(); time.Since(began) < 300*time.Millisecond; <-time.After(5 * time.Millisecond) {
				if imports, _, _ := f.seen(); imports > 1 {
					break
				}
			}
			<-time.After(100 * time.Millisecond) // for the removal
		})
		var asked struct{ Image string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.asked = append(f.asked, asked.Image)
		if !slices.ContainsFunc(f.images, func(i image.Summary) bool { return i.ID == asked.Image }) {
			status(http.StatusNotFound, "No such image")(w, r)
			return
		}
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, `{"Id":"1"}`)
	}
	if failed := connect(t, c); !strings.Contains(failed.Error(), "ended with 3") {
		t.Errorf("%v", failed)
	}
	both.Wait()
}

// What an engine says that it made has to be the ID of an image.
func TestImportWithoutID(t *testing.T) {
	for _, said := range []string{``, `{"status":"latest"}`, `{"status":"sha256:1"}`, `{"status":""}`, `{"status":"` + fakeID(1) + `"}{"status":"done"}`} {
		f := newFake(t)
		f.answer["/images/create"] = func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			io.WriteString(w, said)
		}
		if failed := connect(t, fakeConfig(t, f)); failed.Reason != vmhost.ReasonEngineLost || len(f.asked) > 0 {
			t.Errorf("%s: %v, %q", said, failed, f.asked)
		}
	}
}

func TestImports(t *testing.T) {
	i := imports(filepath.Join(t.TempDir(), "new", "images.json"))
	a := imported{"tree", "agent", "engine", fakeID(1)}
	b := imported{"tree", "agent", "other", fakeID(2)}
	if err := errors.Join(i.remember(a), i.remember(b)); err != nil {
		t.Fatal(err)
	}
	a.Tree, a.Image = "newer", fakeID(3)
	if err := i.remember(a); err != nil {
		t.Fatal(err)
	}
	if got := i.read(); !reflect.DeepEqual(got, []imported{a, b}) {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(string(i)); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for n := range 2 * maxImports {
		if err := i.remember(imported{"tree", "agent", fakeID(n), fakeID(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := i.read(); len(got) != maxImports {
		t.Errorf("%d are noted", len(got))
	}
}

// Whatever stands in the file, and whatever an engine says that it made, is an ID or nothing.
func FuzzImageIDs(f *testing.F) {
	f.Add(`[{"tree":"a","agent":"b","engine":"c","image":"` + fakeID(1) + `"}]`)
	f.Add(`{"status":"` + fakeID(1) + `"}`)
	f.Add(`{"status":"` + strings.TrimPrefix(fakeID(1), "sha256:") + `"}{"error":"no"}`)
	f.Add(`[{"image":"piwork:latest"},{}]`)
	f.Fuzz(func(t *testing.T, s string) {
		all := parseImports([]byte(s))
		if id, err := imageMade(strings.NewReader(s)); err == nil {
			all = append(all, imported{Image: id})
		}
		for _, m := range all {
			if len(m.Image) != len(fakeID(1)) || imageID(m.Image) != m.Image {
				t.Errorf("%q", m.Image)
			}
		}
	})
}
