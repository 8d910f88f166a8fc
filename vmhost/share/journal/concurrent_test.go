package journal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/internal/at"
)

// Several requests of a guest at once, a person who looks at the list and takes
// things back meanwhile: nothing is lost, and in the end all of it is undone.
func TestAtOnce(t *testing.T) {
	for _, where := range []string{"same", "other"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			jdir := ""
			if where == "other" {
				tier.Rest(t, "the journal beside the folder") // an open fault: about one run in 20 leaves something
				jdir = otherFS(t)
			}
			w := newWorld(t, jdir)
			w.seed("a", "b", "c", "d/a", "d/b", "d/e/c", "e/", "h = a", "l -> a")
			w.start()
			w.mark()
			ctx, cancel := context.WithCancel(t.Context())
			var looking sync.WaitGroup
			looking.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					list, err := w.j.Changes(ctx)
					if err != nil || len(list) == 0 || n%3 != 0 {
						continue
					}
					_, _ = w.j.Undo(ctx, []string{list[n%len(list)].ID}, UndoOptions{})
				}
			})
			var tasks sync.WaitGroup
			for g := range 6 {
				tasks.Go(func() { disturb(w, rand.New(rand.NewPCG(7, uint64(g)))) })
			}
			tasks.Wait()
			cancel()
			looking.Wait()
			left := w.tree()
			r := w.undo()
			if d := diff(w.before, w.tree()); d != "" || len(r.Conflicts) > 0 {
				t.Errorf("conflicts %+v\nafter undo:\n%s\nleft:\n%s", r.Conflicts, d, left)
			}
		})
	}
}

// disturb does what a guest might, whatever comes of it.
func disturb(w *world, r *rand.Rand) {
	dirs := []string{"", "", "d/", "e/", "d/e/", "n/"}
	names := []string{"a", "b", "c", "e", "h", "l", "n"}
	path := func() string { return dirs[r.IntN(len(dirs))] + names[r.IntN(len(names))] }
	for i := range 120 {
		switch p := path(); r.IntN(10) {
		case 0:
			_ = w.create(p, fmt.Sprint("created ", i))
		case 1, 2:
			_ = w.write(p, fmt.Sprint("written ", i), -1)
		case 3:
			_ = func() error { // stays open for a while
				f, _, err := w.f.Open(p, true)
				if err != nil {
					return err
				}
				defer f.Close()
				for k := range 3 {
					_, _ = f.WriteAt([]byte{byte(k)}, int64(k*5))
				}
				return f.SetMeta(at.Meta{Mode: new(uint32(0o600))})
			}()
		case 4:
			_ = w.remove(p)
		case 5:
			_ = w.rename(p, path())
		case 6:
			_ = w.mkdir(p)
		case 7:
			_ = w.rmdir(p)
		case 8:
			_ = w.link(p, path())
		case 9:
			_ = w.chmod(p, 0o700|uint32(r.IntN(64)))
		}
	}
}
