package upkeep

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/app/projectcache"
)

// A cache that somebody else emptied meanwhile hinders no cleaning.
func TestCleaningACacheThatIsEmptiedMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), projectcache.Dir)
	log := slog.New(slog.DiscardHandler)
	c := projectcache.New(projectcache.Options{Dir: dir, Log: log, Now: time.Now})
	for range 3 { // so many changes that they are merged
		l, err := c.Lease(t.Context(), projectcache.Project{Name: "a"}, "../../vmhost/vm/testdata/work.qcow2")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	merging, over := make(chan struct{}), make(chan error)
	go func() {
		over <- c.Tidy(context.Background(), "a", func(ctx context.Context, _, base string) error {
			close(merging)
			<-ctx.Done() // it is cleaned now
			return os.RemoveAll(filepath.Dir(base))
		})
	}()
	<-merging
	u := New(Options{Caches: c, Log: log})
	if err := u.cleanCaches(t.Context()); err != nil {
		t.Error(err)
	}
	<-over
	if list, err := c.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
}
