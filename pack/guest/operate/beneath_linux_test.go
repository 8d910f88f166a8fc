package operate

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// A file and a folder on the way to it are changed for links while they are read,
// moved and removed: what is elsewhere is never read, moved or removed.
func TestLinksThatAreSwapped(t *testing.T) {
	b := newBench(t)
	atHome(t, b.dir)
	b.at("one/d/a.txt", "2024-01-01", "mine")
	b.at("two/a.txt", "2024-01-01", "other")
	one, other := filepath.Join(b.dir, "one"), filepath.Join(b.dir, "two", "a.txt")
	for link, to := range map[string]string{"e": "../two", "l.txt": "../two/a.txt"} {
		if err := os.Symlink(to, filepath.Join(one, link)); err != nil {
			t.Fatal(err)
		}
	}
	b.at("one/a.txt", "2024-01-01", "mine")
	stop, stopped, swaps := make(chan struct{}), make(chan struct{}), 0
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, pair := range [][2]string{{"d", "e"}, {"a.txt", "l.txt"}} {
				if unix.Renameat2(unix.AT_FDCWD, filepath.Join(one, pair[0]), unix.AT_FDCWD, filepath.Join(one, pair[1]), unix.RENAME_EXCHANGE) == nil {
					swaps++
				}
			}
		}
	}()
	sum := sha256.Sum256([]byte("other"))
	read, refused := 0, 0
	for n := 0; n < 3000 || (read == 0 || refused == 0) && n < 100_000; n++ {
		r := b.run(t.Context(), wire.ToolParams{Op: "file.hash", In: []string{filepath.Join(one, "d", "a.txt"), filepath.Join(one, "a.txt")}})
		for _, v := range r.Info {
			if read++; v.(tools.FileInfo).SHA256 == hex.EncodeToString(sum[:]) {
				t.Fatal("what is elsewhere was read")
			}
		}
		refused += len(r.Problems)
		b.run(t.Context(), wire.ToolParams{Op: "file.move", In: []string{filepath.Join(one, "d", "a.txt")}, Params: map[string]any{"to": []any{filepath.Join(one, "d", strconv.Itoa(n))}}})
		b.run(t.Context(), wire.ToolParams{Op: "file.move", In: []string{filepath.Join(one, "d", strconv.Itoa(n))}, Params: map[string]any{"to": []any{filepath.Join(one, "d", "a.txt")}}})
		b.run(t.Context(), wire.ToolParams{Op: "file.remove", In: []string{filepath.Join(one, "d", "none.txt")}, Params: map[string]any{"files": true}})
	}
	close(stop)
	<-stopped
	if data, err := os.ReadFile(other); err != nil || string(data) != "other" {
		t.Errorf("what is elsewhere is %q, %v", data, err)
	}
	t.Logf("%d swaps, %d times read, %d times refused", swaps, read, refused)
	if read == 0 || refused == 0 {
		t.Error("nothing was tried")
	}
}
