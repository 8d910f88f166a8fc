//go:build long && linux

package suites_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"piwork/vmhost/vm/suites/order"
	"piwork/vmhost/vm/suites/room"
	"piwork/vmhost/wire"
)

// A machine that is killed while it commits to databases leaves databases: what
// is in them is whole, and nothing is missing in the middle.
func TestSQLiteSurvivesTheMachine(t *testing.T) {
	image, _, err := room.Image(t.Context(), "room", false, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []frontEnd{over9P, overDevice} {
		t.Run(string(how), func(t *testing.T) {
			h := newHost(t)
			m := boot(t, h, how, options{root: image, memoryMB: 512})
			m.mount(how)
			dir := wire.FoldersDir + "/rw"
			modes := []string{"delete", "wal"}
			go func() { // ends with the machine
				_, _ = m.try(order.Order{Do: order.Run, Dir: dir, Limit: stall, Argv: shell(`
					for mode in delete wal; do
						{ echo "PRAGMA journal_mode=$mode; PRAGMA synchronous=full; CREATE TABLE t(a INTEGER PRIMARY KEY, b);"
						  seq 100000 | sed 's/.*/BEGIN; INSERT INTO t VALUES (&, randomblob(3000)); COMMIT;/'; } | sqlite3 $mode.db &
					done
					wait`)})
			}()
			for _, mode := range modes {
				h.grows("rw/"+mode+".db", 200<<10)
			}
			m.end()
			m = boot(t, h, how, options{root: image, memoryMB: 512})
			m.mount(how)
			for _, mode := range modes {
				r := m.order(order.Order{Do: order.Run, Dir: dir, Limit: stall, Argv: []string{
					"/usr/bin/sqlite3", mode + ".db", "PRAGMA integrity_check; SELECT count(*) > 10 AND count(*) = max(a) FROM t; SELECT count(*) FROM t",
				}})
				t.Logf("%s: %s", mode, r.Out)
				if r.Exit != 0 || len(r.Out) < 5 || string(r.Out[:5]) != "ok\n1\n" {
					t.Errorf("%s: exit %d, %s", mode, r.Exit, r.Out)
				}
			}
			m.end()
		})
	}
}

// grows waits until a file, or the log beside it, has a size.
func (h *host) grows(rel string, size int64) {
	h.t.Helper()
	for until := time.Now().Add(stall); ; <-time.After(20 * time.Millisecond) {
		for _, name := range []string{rel, rel + "-wal"} {
			info, err := os.Stat(h.path(name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				h.t.Fatal(err)
			}
			if err == nil && info.Size() > size {
				return
			}
		}
		if time.Now().After(until) {
			h.t.Fatalf("%s does not grow", rel)
		}
	}
}
