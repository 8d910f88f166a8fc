package upkeep

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"piwork/app/rundir"
)

// The images of this data directory's tasks are shown where an engine listens, and can be removed. An
// engine that hangs is said, and hides nothing else.
func TestImagesInStorage(t *testing.T) {
	var hangs, removed atomic.Bool
	id := "sha256:" + strings.Repeat("a", 64)
	engine := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/_ping"):
			w.Header().Set("Api-Version", "1.44")
		case hangs.Load():
			<-r.Context().Done()
		case r.Method == http.MethodDelete:
			removed.Store(true)
			io.WriteString(w, "[]")
		case strings.HasSuffix(r.URL.Path, "/images/json") && !removed.Load():
			fmt.Fprintf(w, `[{"Id":%q,"Size":7,"Labels":{"piwork.owner":"/data","piwork.image":"1"}},{"Id":%q,"Size":9,"Labels":{"piwork.owner":"/other","piwork.image":"1"}}]`, id, id)
		default:
			io.WriteString(w, "[]")
		}
	}))
	socket := filepath.Join(t.TempDir(), "sock")
	var err error
	if engine.Listener, err = net.Listen("unix", socket); err != nil {
		t.Fatal(err)
	}
	engine.Start()
	t.Cleanup(func() { engine.CloseClientConnections(); engine.Close() })
	t.Setenv("DOCKER_HOST", "unix://"+socket)
	o := Options{Places: rundir.Places{DataDir: "/data"}, Log: slog.New(slog.DiscardHandler)}
	look := func(ctx context.Context, want ...StorageItem) {
		t.Helper()
		s := Storage{Items: []StorageItem{{What: StorageTrees}, {What: StorageLogs}}}
		imageRoom(ctx, o, &s)
		if got := s.Items[1 : len(s.Items)-1]; len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%+v", got)
		}
	}
	look(t.Context(), StorageItem{What: StorageImages, Bytes: 7, Frees: 7})
	if err := cleanImages(o)(t.Context()); err != nil || !removed.Load() {
		t.Error(err)
	}
	look(t.Context(), StorageItem{What: StorageImages})
	hangs.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	look(ctx, StorageItem{What: StorageImages, Silent: true})
	t.Setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
	look(t.Context())
}
