package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"piwork/scripts/lib/tier"
	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// Where appending is tested:
//
//	machine over 9p                            ninep, TestConformance
//	machine over virtio-fs                     virtiofs, TestConformance
//	sandbox, container, host over FUSE         the same requests as virtio-fs
//	a folder with review                       TestConformanceReview of both
//	places that work on copies                 copied, TestPersonAppendsMeanwhile
//
// Every write of a guest through a handle of O_APPEND goes to the end that the file has then, whatever
// offset the guest's kernel gives it: that is the end which it last heard of.
func init() {
	scenes["two handles append at once"] = func(h *host) {
		const n = 500
		h.check(os.WriteFile(h.path("rw/log"), nil, 0o644))
		var wg sync.WaitGroup
		for _, who := range []string{"one", "two"} {
			wg.Go(func() { appendLines(h.g, h.t, "rw/log", who, n) })
		}
		wg.Wait()
		h.check(h.settle())
		h.lines("rw/log", map[string]int{"one": n, "two": n})
	}
}

// appendScenes are played where a folder is changed at once.
var appendScenes = map[string]func(h *host){
	// A program keeps a log open, the person adds a line, the program goes on: no line is
	// written over, and undo leaves what the person has.
	"the person appends to what is open for appending": func(h *host) {
		h.check(os.WriteFile(h.path("rw/log"), []byte("start\n"), 0o644))
		f, err := h.g.Open("rw/log", WriteOnly|Append)
		h.check(err)
		h.check(second(f.WriteAt([]byte("task-1\n"), 6)))
		h.check(appendTo(h.path("rw/log"), "the person: pay Anna 100 EUR\n"))
		h.check(second(f.WriteAt([]byte("task-2\n"), 13)))
		const want = "start\ntask-1\nthe person: pay Anna 100 EUR\ntask-2\n"
		h.check(content("log", want)(h.path("rw")))
		if got, err := read(h.g, "rw/log"); got != want || err != nil {
			h.t.Errorf("the guest reads %q %v", got, err)
		}
		if a, err := f.Stat(); err != nil || a.Size != uint64(len(want)) {
			h.t.Errorf("the guest hears of %d bytes instead of %d: %v", a.Size, len(want), err)
		}
		h.check(f.Close())
		r, err := h.j.Undo(h.t.Context(), nil, journal.UndoOptions{})
		h.check(err)
		b, err := os.ReadFile(h.path("rw/log"))
		h.check(err)
		if !strings.Contains(string(b), "pay Anna 100 EUR\n") || len(r.Conflicts) == 0 && strings.Contains(string(b), "task-2") {
			h.t.Errorf("after undo %q, which says %+v", b, r.Conflicts)
		}
	},
	// Two tasks and the person append to a file all the time.
	"two tasks and the person append": func(h *host) {
		n := tier.Pick(2000, 500, 100_000)
		h.check(os.WriteFile(h.path("rw/log"), nil, 0o644))
		other := h.task()
		var wg sync.WaitGroup
		for who, g := range map[string]Guest{"one": h.g, "two": other} {
			wg.Go(func() { appendLines(g, h.t, "rw/log", who, n) })
		}
		wg.Go(func() {
			f, err := os.OpenFile(h.path("rw/log"), os.O_WRONLY|os.O_APPEND, 0)
			for i := range n {
				if err == nil {
					_, err = fmt.Fprintf(f, "person %d\n", i)
				}
			}
			if err = errors.Join(err, f.Close()); err != nil {
				h.t.Error(err)
			}
		})
		wg.Wait()
		all := map[string]int{"one": n, "two": n, "person": n}
		h.lines("rw/log", all)
		r, err := h.j.Undo(context.Background(), nil, journal.UndoOptions{})
		h.check(err)
		if len(r.Conflicts) == 0 {
			delete(all, "one") // then its lines may be gone, and only those
		}
		h.lines("rw/log", all)
	},
}

// task is another task at work in the folder, with a journal of its own.
func (h *host) task() Guest {
	h.t.Helper()
	j, err := journal.Open(filepath.Join(h.t.TempDir(), "journal"), journal.Options{})
	h.check(err)
	set := share.NewSet(share.Options{})
	h.t.Cleanup(func() {
		set.Close()
		h.check(j.Close())
	})
	direct(h.t, set, share.Folder{ID: "rw", Path: h.path("rw")}, j)
	return h.start(h.t, set)
}

// appendLines appends through a handle that is opened anew now and then; its kernel never hears of the end.
func appendLines(g Guest, t interface{ Errorf(string, ...any) }, path, who string, n int) {
	var f Handle
	for i := range n {
		var err error
		if f == nil {
			f, err = g.Open(path, WriteOnly|Append)
		}
		if err == nil {
			_, err = f.WriteAt(fmt.Appendf(nil, "%s %d\n", who, i), int64(i))
		}
		if err == nil && (i == n-1 || i%200 == 199) {
			err = f.Close()
			f = nil
		}
		if err != nil {
			t.Errorf("%s %d: %v", who, i, err)
			return
		}
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// lines holds a file to having the lines of everybody, each once and in order, and no others.
func (h *host) lines(rel string, want map[string]int) {
	h.t.Helper()
	b, err := os.ReadFile(h.path(rel))
	h.check(err)
	next := map[string]int{}
	others := 0
	for line := range strings.Lines(string(b)) {
		who, _, _ := strings.Cut(line, " ")
		if line == fmt.Sprintf("%s %d\n", who, next[who]) {
			next[who]++
		} else {
			others++
		}
	}
	for who, n := range want {
		if next[who] != n {
			h.t.Errorf("%s: %d lines of %d", who, next[who], n)
		}
	}
	if others > 0 {
		h.t.Errorf("%d lines are torn, or out of order", others)
	}
}
