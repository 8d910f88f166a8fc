//go:build vm && linux

package suites_test

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/share/journal"
	"piwork/vmhost/vm/suites/order"
)

// folders is where the guest has them when it has no root file system.
const folders = "/new/folders"

// mostMemory is what a guest may make the file server take, in bytes: replies and
// requests of the largest size, some of each under way, and what the garbage
// collector has not looked at yet.
const mostMemory = 300 << 20

// watchMemory returns what this process took at most until it is called.
func watchMemory() func() uint64 {
	debug.FreeOSMemory() // what earlier parts left is not the guest's
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		top := uint64(0)
		for {
			metrics.Read(sample)
			top = max(top, sample[0].Value.Uint64()-sample[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-stop:
				most <- top
				return
			}
		}
	}()
	return func() uint64 { close(stop); return <-most }
}

// attacked checks what must hold after every attack.
func (h *host) attacked(outside, ro string, memory uint64) {
	h.t.Helper()
	if got := h.tree("outside"); got != outside {
		h.t.Errorf("outside was changed:\n%s\nwas:\n%s", got, outside)
	}
	if got := h.tree("ro"); got != ro {
		h.t.Errorf("the read-only folder was changed:\n%s\nwas:\n%s", got, ro)
	}
	if memory > mostMemory {
		h.t.Errorf("the host took %d MiB", memory>>20)
	}
	h.t.Logf("the host took %d MiB at most", memory>>20)
}

// undone takes everything in rw back.
func (h *host) undone(before string) {
	h.t.Helper()
	r, err := h.j.Undo(h.t.Context(), nil, journal.UndoOptions{})
	if err != nil || len(r.Conflicts) > 0 {
		h.t.Errorf("undo: %+v %v", r, err)
	}
	if got := h.tree("rw"); got != before {
		h.t.Errorf("after undo:\n%s\nwas:\n%s", got, before)
	}
}

// A guest that speaks 9p as it likes.
func TestRawAttacks(t *testing.T) {
	h := newHost(t)
	h.check(os.Symlink("../outside", h.path("rw/out")))
	h.check(os.Symlink("../outside/secret", h.path("rw/outfile")))
	h.check(os.WriteFile(h.path("rw/big"), nil, 0o644))
	h.check(os.Truncate(h.path("rw/big"), 64<<20))
	outside, ro, rw := h.tree("outside"), h.tree("ro"), h.tree("rw")
	loud := [][]string{ // what is heard of soon
		{
			"walk out", "names that lead out", "fids used wrongly", "counts and offsets", "kinds of files", "what may only be read",
			"a storm of flushes", "one message for each byte", "a flood of requests", "a flood of open files", "a flood of fids",
			"noise", // the last: nobody answers any more
		},
	}
	for _, attacks := range tier.Pick(loud, loud, append(loud, []string{"deaf"}, []string{"half a message"})) {
		m := boot(t, h, raw9P, options{})
		most := watchMemory()
		r := m.order(order.Order{Do: order.Run, Argv: append([]string{"/init", "raw"}, attacks...), Bare: true, Root: true, Limit: stall})
		t.Logf("%s", r.Out)
		if r.Exit != 0 || r.Limited || strings.Count(string(r.Out), ": held (") != len(attacks) {
			t.Errorf("ended with %d (%v)", r.Exit, r.Limited)
		}
		m.end()
		h.attacked(outside, ro, most())
	}
	if info, err := os.Lstat(h.path("rw/file")); err != nil || info.Mode()&^os.ModePerm != 0 {
		t.Errorf("%v %v", info, err)
	}
	h.undone(rw)
}

// A guest that changes names while it works below them, and a host that does too.
func TestRaces(t *testing.T) {
	for _, how := range []frontEnd{over9P, overDevice} {
		t.Run(string(how), func(t *testing.T) {
			if how == over9P {
				packtest.Needs9P(t)
			}
			h := newHost(t)
			outside, ro, rw := h.tree("outside"), h.tree("ro"), h.tree("rw")
			m := boot(t, h, how, options{})
			m.mount(how)
			most := watchMemory()
			stop, over := make(chan struct{}), make(chan int)
			go func() { over <- h.swap(stop) }()
			r := m.order(order.Order{Do: order.Run, Argv: []string{"/init", "race", folders, tier.Pick("2", "2", "6")}, Bare: true, Limit: stall})
			close(stop)
			t.Logf("%s%d rounds of the host", r.Out, <-over)
			if r.Exit != 0 || r.Limited {
				t.Errorf("ended with %d (%v)", r.Exit, r.Limited)
			}
			// It works on.
			r = m.order(order.Order{Do: order.Run, Argv: []string{"/init", "exercise", folders + "/rw/exercised", "7", "200", "mmap"}, Bare: true, Limit: stall})
			if r.Exit != 0 {
				t.Errorf("%s", r.Out)
			}
			m.end()
			h.attacked(outside, ro, most())
			h.set.Remove("3") // where the host did what it liked
			h.undoneOf("1", rw)
		})
	}
}

// undoneOf takes back what was done in one folder.
func (h *host) undoneOf(folder, before string) {
	h.t.Helper()
	list, err := h.j.Changes(h.t.Context())
	h.check(err)
	var ids []string
	for _, c := range list {
		if c.Folder == folder {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) > 0 {
		r, err := h.j.Undo(h.t.Context(), ids, journal.UndoOptions{})
		if err != nil || len(r.Conflicts) > 0 {
			h.t.Errorf("undo: %+v %v", r, err)
		}
	}
	if got := h.tree("rw"); got != before {
		h.t.Errorf("after undo:\n%s\nwas:\n%s", got, before)
	}
}

// swap makes raced/h a directory and a link that leads out, in turn, until it is
// stopped. It fails while the guest has made something of that name.
func (h *host) swap(stop <-chan struct{}) (rounds int) {
	root, err := os.OpenRoot(h.path("raced")) // it follows no link out itself
	if err != nil {
		return 0
	}
	defer root.Close()
	targets := []string{"../outside", h.path("outside"), "../rw/../outside/d"}
	for ; ; rounds++ {
		select {
		case <-stop:
			return rounds
		default:
		}
		_ = root.Mkdir("h", 0o755)
		_ = root.WriteFile("h/new", []byte("the person's"), 0o644)
		_ = root.Rename("h/new", "h/secret")
		_ = root.Rename("h", "h.old")
		_ = root.Symlink(targets[rounds%len(targets)], "h")
		_ = root.Remove("h")
		_ = root.RemoveAll("h.old")
	}
}
