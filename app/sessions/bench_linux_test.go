package sessions

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"testing"

	"piwork/app/attach"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// BenchmarkOutput is how fast what a program writes arrives, beside the same program on a
// bare pipe: at the end of the conversation with the agent, and at a client of a session.
func BenchmarkOutput(b *testing.B) {
	const size = 256 << 20
	argv := []string{"head", "-c", strconv.Itoa(size), "/dev/zero"}
	b.Run("pipe", func(b *testing.B) {
		b.SetBytes(size)
		buf := make([]byte, 64<<10)
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), argv[0], argv[1:]...)
			out, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			for n, err := 0, error(nil); err == nil; n, err = out.Read(buf) {
				_ = n
			}
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("agent", func(b *testing.B) {
		b.SetBytes(size)
		r := newRuntime(b)
		for b.Loop() {
			n, pieces := 0, 0
			_, err := r.Execute(b.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: argv, Cwd: "/"}, OnOutput: func(o wire.ExecOutput) { n += len(o.Data); pieces++ }})
			b.ReportMetric(float64(n)/float64(pieces), "B/piece")
			if err != nil || n != size {
				b.Fatalf("%d bytes, %v", n, err)
			}
		}
	})
	session := func(b *testing.B, attached func(*world, Session) attach.Conn) {
		b.SetBytes(size)
		w := newWorld(b)
		var skipped float64
		for b.Loop() {
			s := w.create(b, Request{Argv: argv, KeepKB: 8192})
			c, n := attached(w, s), 0
			for {
				p, err := c.Read(b.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
				n += len(p.Data) + int(p.Skipped)
				skipped += float64(p.Skipped)
			}
			if n != size {
				b.Fatalf("%d bytes", n)
			}
			if _, err := w.CloseSession(b.Context(), s.ID); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(skipped*100/size/float64(b.N), "%skipped")
	}
	b.Run("session", func(b *testing.B) {
		session(b, func(w *world, s Session) attach.Conn { return w.attach(b, s, AttachRequest{}) })
	})
	b.Run("websocket", func(b *testing.B) {
		session(b, func(w *world, s Session) attach.Conn {
			srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				c, err := w.AttachSession(r.Context(), s.ID, AttachRequest{})
				if err == nil {
					err = attach.Serve(r.Context(), rw, r, c, true)
				}
				if err != nil {
					b.Log(err)
				}
			}))
			b.Cleanup(srv.Close)
			c, _, err := attach.Dial(b.Context(), srv.URL, srv.Client(), nil)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = c.Close() })
			return c
		})
	})
}
