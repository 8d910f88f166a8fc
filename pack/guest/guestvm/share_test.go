//go:build vm && linux

package guestvm

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"piwork/pack/packtest"
	"piwork/pack/tools"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

func TestShare(t *testing.T) {
	tier.Rest(t, "TestFoldersOfRestoredForReal of vmhost/vm")
	packtest.Needs9P(t)
	dir := t.TempDir()
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB
	jpg := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, photo(800, 600), nil) })
	for name, data := range map[string][]byte{"big": big, "a.jpg": jpg, "ü 日本.jpg": jpg, "cut.jpg": jpg[:100], "script": []byte("#!/bin/sh\necho run from the share\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var hold sync.Map // path → channel to wait for
	fs := &HostFS{T: t, Dir: dir, Before: func(_, path string) {
		if c, ok := hold.Load(filepath.Base(path)); ok {
			<-c.(chan struct{})
		}
	}}
	m := bootOperations(t, Options{ServeFS: fs.Serve})
	Call[wire.Empty](m, wire.MethodMount, folders)
	_, err := Try[wire.Empty](m, wire.MethodMount, folders)
	wantCode(t, err, wire.CodeExists)

	t.Run("files", func(t *testing.T) {
		r := run(m, "f1", "cd /folders && ls && sha256sum big && ./script && id -u && stat -c %u a.jpg && grep ' /folders ' /proc/mounts")
		t.Logf("%s%s", r.Stdout, r.Stderr)
		if r.ExitCode != 0 || !strings.Contains(string(r.Stdout), fmt.Sprintf("%x", sha256.Sum256(big))) || !strings.Contains(string(r.Stdout), "run from the share") {
			t.Errorf("%s%s", r.Stdout, r.Stderr)
		}
		for _, want := range []string{"nosuid", "nodev", "cache=0x5", "access=any", "msize=512000"} {
			if !strings.Contains(string(r.Stdout), want) {
				t.Errorf("not mounted %s", want)
			}
		}
		r = run(m, "f2", "cd /folders && cp big copy && cmp big copy && mkdir d && mv copy d/ && echo hi > 'new file' && rm d/copy && rmdir d && mv 'new file' n2")
		if r.ExitCode != 0 {
			t.Errorf("%s%s", r.Stdout, r.Stderr)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "n2")); err != nil || string(b) != "hi\n" {
			t.Errorf("%q, %v", b, err)
		}
	})
	t.Run("speed", func(t *testing.T) {
		r := run(m, "sp", "cd /folders && python3 - <<'E'\nimport time\nt=time.time(); n=0\nf=open('big','rb',buffering=0)\nwhile True:\n  b=f.read(1<<20)\n  if not b: break\n  n+=len(b)\nprint('read %.0f MB/s' % (n/1e6/(time.time()-t)))\nt=time.time(); f=open('w','wb',buffering=0)\nfor i in range(16): f.write(b'x'*(1<<20))\nf.close(); print('write %.0f MB/s' % (16/(time.time()-t)))\nimport os\nt=time.time()\nfor i in range(300): os.stat('a.jpg')\nprint('stat %.0f/s' % (300/(time.time()-t)))\nE")
		t.Logf("%s%s", r.Stdout, r.Stderr)
	})
	t.Run("tool", func(t *testing.T) {
		in := []string{"/folders/a.jpg", "/folders/ü 日本.jpg", "/folders/cut.jpg"}
		r := tool(m, wire.ToolParams{Op: "image.convert", In: in, Out: "/folders/out.pdf", Params: map[string]any{"format": "pdf"}})
		if len(r.Out) != 1 || codes(r)["cut.jpg"] != tools.InputBroken || len(r.Problems) != 1 {
			t.Errorf("%+v", r)
		}
		b, err := os.ReadFile(filepath.Join(dir, "out.pdf"))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(b)) != r.Out[0].SHA256 || !bytes.HasPrefix(b, []byte("%PDF")) {
			t.Errorf("the result on the host: %d bytes, %v", len(b), err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".piwork*")); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		r = tool(m, wire.ToolParams{Op: "image.convert", In: in, Out: "/folders/out.pdf", Params: map[string]any{"format": "pdf"}})
		if codes(r)["."] != tools.OutputExists {
			t.Errorf("%+v", r)
		}
	})
	// While a call on the share waits for a person, the guest goes on: other
	// programs start, and what waits can be cancelled.
	t.Run("held", func(t *testing.T) {
		c := make(chan struct{})
		hold.Store("n2", c)
		Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "h1", Argv: []string{"sh", "-c", "cat /folders/n2"}})
		for i := range 5 {
			if r := run(m, fmt.Sprintf("h2%d", i), "echo free; ls /folders >/dev/null"); string(r.Stdout) != "free\n" {
				t.Errorf("%+v", r)
			}
		}
		// Even a start in which exec itself waits holds nobody else.
		hold.Store("script", c)
		started := make(chan error, 1)
		go func() {
			_, err := Try[wire.ExecResult](m, wire.MethodExecRun, wire.ExecParams{ID: "h3", Argv: []string{"/folders/script"}})
			started <- err
		}()
		if r := run(m, "h4", "echo free"); string(r.Stdout) != "free\n" {
			t.Errorf("%+v", r)
		}
		// Cancelled it is at once; gone when the host answers its flush (p9's
		// server does so after the flushed call).
		Call[wire.Empty](m, wire.MethodCancel, wire.ExecRef{ID: "h1"})
		hold.Clear()
		close(c)
		r := Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: "h1"})
		if r.Ended != wire.EndedCancelled {
			t.Errorf("%+v", r)
		}
		if err := <-started; err != nil {
			t.Error(err)
		}
	})
	t.Run("cancelled tool", func(t *testing.T) {
		c := make(chan struct{})
		hold.Store("a.jpg", c)
		done := make(chan wire.ToolResult, 1)
		go func() {
			r, _ := Try[wire.ToolResult](m, wire.MethodToolRun, wire.ToolParams{ID: "ct", Op: "image.convert", In: []string{"/folders/a.jpg"}, Out: "/folders/never.pdf", Params: map[string]any{"format": "pdf"}})
			done <- r
		}()
		for { // until it is known
			if _, err := Try[wire.Empty](m, wire.MethodCancel, wire.ExecRef{ID: "ct"}); err == nil {
				break
			}
		}
		hold.Clear()
		close(c)
		r := <-done
		if codes(r)["."] != tools.Cancelled || len(r.Out) != 0 {
			t.Errorf("%+v", r)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".piwork*")); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("unmount", func(t *testing.T) {
		Call[wire.Empty](m, wire.MethodExecStart, wire.ExecParams{ID: "b1", Argv: []string{"sleep", "600"}, Cwd: wire.FoldersDir})
		_, err := Try[wire.Empty](m, wire.MethodUnmount, folders)
		wantCode(t, err, wire.CodeBusy)
		Call[wire.Empty](m, wire.MethodCancel, wire.ExecRef{ID: "b1"})
		Call[wire.ExecResult](m, wire.MethodExecWait, wire.ExecRef{ID: "b1"})
		Call[wire.Empty](m, wire.MethodUnmount, folders)
		if r := run(m, "u1", "ls /folders | wc -l"); strings.TrimSpace(string(r.Stdout)) != "0" {
			t.Errorf("%s", r.Stdout)
		}
		Call[wire.Empty](m, wire.MethodMount, folders)
		if r := run(m, "u2", "cat /folders/n2"); string(r.Stdout) != "hi\n" {
			t.Errorf("%+v", r)
		}
	})
	Call[wire.Empty](m, wire.MethodShutdown, nil)
	m.AwaitExit()
}

func TestReadOnlyShare(t *testing.T) {
	tier.Rest(t, "TestRealStatusAndExec of app")
	packtest.Needs9P(t)
	dir := t.TempDir()
	jpg := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, photo(80, 60), nil) })
	if err := os.WriteFile(filepath.Join(dir, "a.jpg"), jpg, 0o644); err != nil {
		t.Fatal(err)
	}
	m := bootOperations(t, Options{ServeFS: (&HostFS{T: t, Dir: dir, ReadOnly: true}).Serve})
	Call[wire.Empty](m, wire.MethodMount, folders)
	r := tool(m, wire.ToolParams{Op: "image.convert", In: []string{"/folders/a.jpg"}, Out: "/folders/x.pdf", Params: map[string]any{"format": "pdf"}})
	if codes(r)["."] != tools.OutputDenied || r.WallMS > 20_000 {
		t.Errorf("%+v", r)
	}
}
