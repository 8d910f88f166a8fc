package update

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"piwork/pack/spec"
	"piwork/pack/trust/channel"
)

// What servers do, and what becomes of the file.
func TestSave(t *testing.T) {
	data := []byte(noise(10<<20, 1))
	other := bytes.Clone(data)
	other[len(other)/2] ^= 1
	sum := sha256.Sum256(data)
	target := channel.Target{Name: "x.tar.zst", Path: "packs/x", Length: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	good := content(data, `"1"`)
	n := int64(len(data))
	tests := []struct {
		name    string
		mirrors []http.Handler
		pause   time.Duration // each call is ended after it, and called again
		harm    func(t *testing.T, file string)
		want    Code
		sent    int64 // at most
	}{
		{name: "good", mirrors: []http.Handler{good}, sent: n},
		{name: "cuts off", mirrors: []http.Handler{limited(1<<20, good, hangUp)}, sent: n},
		{name: "cuts off, with new tags in each answer", mirrors: []http.Handler{limited(1<<20, newTags(data), hangUp)}, sent: n + 2<<20},
		{name: "stalls once", mirrors: []http.Handler{first(1, limited(3<<20, good, silence), good)}, sent: n},
		{name: "ignores ranges", mirrors: []http.Handler{whole(data)}, sent: n},
		{name: "ignores ranges and cuts off once", mirrors: []http.Handler{first(1, limited(5<<20, whole(data), hangUp), whole(data))}, sent: n + 5<<20},
		{name: "paused", mirrors: []http.Handler{paced(512<<10, 100*time.Millisecond, good)}, pause: time.Second, sent: n + 3<<20},
		{name: "paused, and the state is lost", mirrors: []http.Handler{paced(512<<10, 100*time.Millisecond, good)}, pause: 1500 * time.Millisecond,
			harm: func(t *testing.T, file string) {
				if err := os.WriteFile(file+stateSuffix, []byte("{"), 0o600); err != nil {
					t.Fatal(err)
				}
			}, sent: 2*n + 6<<20},
		{name: "paused, and the part is shorter than the state says", mirrors: []http.Handler{paced(512<<10, 100*time.Millisecond, good)}, pause: 1500 * time.Millisecond,
			harm: func(t *testing.T, file string) {
				if err := os.Truncate(file+partSuffix, 10); err != nil {
					t.Fatal(err)
				}
			}, sent: 2*n + 6<<20},
		{name: "other content", mirrors: []http.Handler{content(other, "")}, want: CodeWrongContent, sent: 2 * n},
		{name: "other content on the first", mirrors: []http.Handler{content(other, ""), good}, sent: 3 * n},
		{name: "another length", mirrors: []http.Handler{content(other[:500], "")}, want: CodeChanged, sent: 1000},
		{name: "not there", mirrors: []http.Handler{http.NotFoundHandler()}, want: CodeNotFound, sent: 100},
	}
	for _, tt := range tests {
		run(t, tt.name, func(t *testing.T, w *world) {
			var base []string
			var servers []*server
			for i, h := range tt.mirrors {
				at := "m" + string(rune('0'+i)) + ".test"
				servers = append(servers, w.serve(at+":80", h, nil))
				base = append(base, "http://"+at)
			}
			c := w.client(Options{Mirrors: base})
			file := filepath.Join(t.TempDir(), "sub", "x.tar.zst")
			harmed := false
			var err error
			for {
				ctx, cancel := context.WithCancel(t.Context())
				if tt.pause > 0 {
					ctx, cancel = context.WithTimeout(t.Context(), tt.pause)
				}
				err = c.Save(ctx, target, file, nil)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					break
				}
				if tt.harm != nil && !harmed {
					harmed = true
					tt.harm(t, file)
				}
			}
			if CodeOf(err) != tt.want || (err == nil) != (tt.want == "") {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			var sent int64
			for _, s := range servers {
				sent += s.sent.Load()
			}
			if sent > tt.sent {
				t.Errorf("%d bytes were sent, at most %d", sent, tt.sent)
			}
			got, rerr := os.ReadFile(file)
			if err != nil {
				if rerr == nil {
					t.Error("a file appeared")
				}
				return
			}
			if rerr != nil || !bytes.Equal(got, data) {
				t.Errorf("the file is not right: %v", rerr)
			}
			if left, _ := filepath.Glob(file + ".part*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Too little space is said before anything is written.
func TestSaveSpace(t *testing.T) {
	run(t, "", func(t *testing.T, w *world) {
		c := w.client(Options{Mirrors: []string{"http://m0.test"}})
		err := c.Save(t.Context(), channel.Target{Name: "x", Path: "x", Length: 1 << 60}, filepath.Join(t.TempDir(), "x"), nil)
		if _, is := errors.AsType[*spec.SpaceError](err); CodeOf(err) != CodeDiskFull || !is || w.dials.Load() > 0 {
			t.Errorf("got %v", err)
		}
	})
}
