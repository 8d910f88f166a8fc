package update

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"piwork/pack"
	"piwork/pack/packtest"
	"piwork/pack/spec"
	"piwork/pack/trust"
	"piwork/pack/trust/channel"
)

// envChild makes the test binary a program that downloads: see child.
const envChild = "PIWORK_TEST_DOWNLOAD"

// childTask is what the program is told, as JSON.
type childTask struct {
	Mirror string
	Target channel.Target
	Keys   string // a developer key ring
	Store  string // directory of the store; "" saves to File
	File   string
}

func TestMain(m *testing.M) {
	if task := os.Getenv(envChild); task != "" {
		if err := child(context.Background(), task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child downloads and writes the number of bytes that are kept, a line each time.
func child(ctx context.Context, text string) error {
	var task childTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	c, err := New(Options{Mirrors: []string{task.Mirror}, Proxy: "direct"})
	if err != nil {
		return err
	}
	defer c.Close()
	tell := func(p Progress) { fmt.Println(p.Done) }
	if task.Store == "" {
		return c.Save(ctx, task.Target, task.File, tell)
	}
	found, err := trust.LoadDeveloperKeys(task.Keys)
	if err != nil {
		return err
	}
	keys, err := trust.NewKeyRing(found...)
	if err != nil {
		return err
	}
	s, err := pack.OpenStore(task.Store)
	if err != nil {
		return err
	}
	h, err := c.Head(ctx, task.Target, keys, spec.Policy{})
	if err != nil {
		return err
	}
	a, err := pack.Assemble(ctx, h, s, keys, pack.AssembleOptions{Wait: true})
	if err != nil {
		return err
	}
	if err := c.Get(ctx, task.Target, a, tell); err != nil {
		return err
	}
	_, err = a.Finish(ctx)
	return err
}

// gate lets some bytes of content pass in all, then keeps everybody waiting.
func gate(left *atomic.Int64, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(&gated{w, r, left}, r)
	})
}

type gated struct {
	http.ResponseWriter
	r    *http.Request
	left *atomic.Int64
}

func (g *gated) Write(p []byte) (int, error) {
	if g.left.Add(-int64(len(p))) < 0 {
		_ = http.NewResponseController(g.ResponseWriter).Flush()
		<-g.r.Context().Done()
		return 0, g.r.Context().Err()
	}
	return g.ResponseWriter.Write(p)
}

// A program that is killed while it downloads fetches only the rest when it runs
// again: bytes are counted at the server.
func TestKill(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := release(t, packtest.Options{Files: files(1)})
	n := p.target.Length
	h, err := pack.ReadHead(t.Context(), bytes.NewReader(p.data), p.Keys, spec.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	var largest int64
	for _, c := range h.Chunks.All() {
		largest = max(largest, c.Packed)
	}
	for _, save := range []bool{false, true} {
		for _, percent := range []int64{30, 90} {
			t.Run(fmt.Sprintf("save %v at %d%%", save, percent), func(t *testing.T) {
				var left atomic.Int64
				left.Store(n * percent / 100)
				base, srv := serveFiles(t, map[string][]byte{p.target.Path: p.data}, func(h http.Handler) http.Handler { return gate(&left, h) })
				dir := t.TempDir()
				task := childTask{Mirror: base, Target: p.target, Keys: filepath.Join(p.Signer.ConfigDir, trust.DeveloperFile)}
				slack := int64(8 * maxGap)
				if save {
					task.File, slack = filepath.Join(dir, "x.tar.zst"), saveEvery
				} else {
					task.Store = filepath.Join(dir, "runtime")
				}
				text, err := json.Marshal(task)
				if err != nil {
					t.Fatal(err)
				}
				run := func(until int64) int64 { // returns what was kept when it was killed, or -1 at its end
					cmd := exec.CommandContext(t.Context(), exe)
					cmd.Env = append(os.Environ(), envChild+"="+string(text))
					var errs bytes.Buffer
					cmd.Stderr = &errs
					out, err := cmd.StdoutPipe()
					if err != nil {
						t.Fatal(err)
					}
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					kept := int64(-1)
					for lines := bufio.NewScanner(out); lines.Scan(); {
						n, err := strconv.ParseInt(strings.TrimSpace(lines.Text()), 10, 64)
						if err == nil && until > 0 && n >= until {
							kept = n
							_ = cmd.Process.Kill()
							break
						}
					}
					err = cmd.Wait()
					if kept < 0 && err != nil {
						t.Fatalf("%v: %s", err, errs.Bytes())
					}
					return kept
				}
				// What passes the gate is kept, but for chunks that lack their end.
				lacks := defaultParallel * largest
				if save {
					lacks = 512 << 10
				}
				kept := run(max(left.Load()-lacks, 1))
				if kept < 0 {
					t.Fatal("it was not killed")
				}
				left.Store(1 << 40)
				srv.sent.Store(0)
				run(0)
				if sent, rest := srv.sent.Load(), n-kept; sent > rest+slack || sent < rest-lacks-(1<<20) {
					t.Errorf("%d bytes were sent for a rest of %d (of %d)", sent, rest, n)
				}
				if save {
					if got, err := os.ReadFile(task.File); err != nil || !bytes.Equal(got, p.data) {
						t.Errorf("the file is not right: %v", err)
					}
					return
				}
				s, err := pack.OpenStore(task.Store)
				if err != nil {
					t.Fatal(err)
				}
				in, err := s.Open(p.Manifest.Version, p.Keys, spec.Policy{})
				if err != nil {
					t.Fatal(err)
				}
				if err := in.Verify(t.Context(), pack.LevelFull); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
