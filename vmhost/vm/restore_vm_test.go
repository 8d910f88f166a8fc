//go:build vm && linux

package vm

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hugelgupf/p9/fsimpl/localfs"
	"github.com/hugelgupf/p9/p9"

	"piwork/vmhost"
	"piwork/vmhost/qemu/qemutest"
	"piwork/vmhost/wire"
)

// realFactory has a template of the real pack.
func realFactory(t *testing.T) *Factory {
	t.Helper()
	f, err := NewFactory(FactoryOptions{
		Dir: filepath.Join(t.TempDir(), "templates"), Image: qemutest.PackImage(t), Accel: realAccel(), AppVersion: "test", MemoryMB: 512,
		Log: slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(f.o.Dir, "*.log", "*.log"))
			for _, l := range logs {
				b, _ := os.ReadFile(l)
				t.Logf("%s:\n%s", l, b)
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	began := time.Now()
	if err := f.Ensure(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("template made in %v: %+v", time.Since(began), f.State())
	return f
}

// withFolder has a folder with one file served to the guest.
func withFolder(t testing.TB, c *Config) {
	t.Helper()
	host := t.TempDir()
	if err := os.MkdirAll(filepath.Join(host, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(host, "folder", "hello.txt"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Folders = []vmhost.FolderInView{{Path: wire.FoldersDir + "/folder"}}
	c.ServeFS = func(_ context.Context, conn io.ReadWriteCloser) error {
		return p9.NewServer(localfs.Attacher(host)).Handle(conn, conn)
	}
}

func restored1(t *testing.T, f *Factory, change ...func(*Config)) *VM {
	t.Helper()
	c := realConfig(t)
	c.MemoryMB = 512
	withFolder(t, &c)
	for _, ch := range change {
		ch(&c)
	}
	v, err := f.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close(context.Background()) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	if err := v.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s and ready with its folder after %v", v.How(), time.Since(began))
	if v.How() != HowRestored {
		t.Errorf("it was %s", v.How())
	}
	return v
}

func TestRestoreForReal(t *testing.T) {
	f := realFactory(t)
	for range 5 {
		v := restored1(t, f)
		o, err := v.Execute(t.Context(), vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"cat", "hello.txt"}}})
		if err != nil || string(o.Exec.Stdout) != "hello" {
			t.Errorf("%+v %v", o.Exec, err)
		}
		if err := v.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
