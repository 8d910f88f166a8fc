//go:build vm && linux

package vm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hugelgupf/p9/fsimpl/localfs"
	"github.com/hugelgupf/p9/p9"

	"piwork/pack/packtest"
	"piwork/scripts/lib/tier"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// A folder reaches the guest through whatever serves 9P, here p9's
// own example server: piwork's is tested in its package.
func TestFolderForReal(t *testing.T) {
	tier.Rest(t, "TestRealChore of app")
	packtest.Needs9P(t)
	host := t.TempDir()
	folder := filepath.Join(host, "Pictures of ü")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	img.Set(3, 4, color.RGBA{255, 0, 0, 255})
	if err := png.Encode(&picture, img); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"one.png": picture.Bytes(), "text.txt": []byte("hello")} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := realConfig(t)
	c.Folders = []vmhost.FolderInView{{Path: wire.FoldersDir + "/Pictures of ü", ReadOnly: true}}
	c.ServeFS = func(_ context.Context, conn io.ReadWriteCloser) error {
		return p9.NewServer(localfs.Attacher(host)).Handle(conn, conn)
	}
	v := realConnected(t, c)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	obs, err := v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/bin/sh", "-c", "pwd; cat text.txt; echo; ls"}}})
	if err != nil || string(obs.Exec.Stdout) != c.Folders[0].Path+"\nhello\none.png\ntext.txt\n" {
		t.Fatalf("%+v %v", obs.Exec, err)
	}

	sum := sha256.Sum256(picture.Bytes())
	obs, err = v.Execute(ctx, vmhost.Action{Tool: &wire.ToolParams{Op: "file.hash", In: []string{c.Folders[0].Path + "/one.png", c.Folders[0].Path + "/gone.png"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("file.hash: %+v", obs.Tool)
	if len(obs.Tool.Info) == 0 || !strings.Contains(strings.ToLower(toText(obs.Tool.Info[0])), hex.EncodeToString(sum[:])) {
		t.Errorf("file.hash: %+v", obs.Tool)
	}
	if p := obs.Tool.Problems; len(p) != 1 || p[0].Code != "input-missing" || !strings.HasSuffix(p[0].Path, "gone.png") {
		t.Errorf("problems: %+v", p)
	}

	var steps []wire.ToolProgress
	obs, err = v.Execute(ctx, vmhost.Action{
		Tool: &wire.ToolParams{
			Op: "image.convert", In: []string{c.Folders[0].Path + "/one.png"}, Out: wire.OutDir + "/one.pdf", Params: map[string]any{"format": "pdf"},
		},
		OnProgress: func(p wire.ToolProgress) { steps = append(steps, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("image.convert: %+v, progress %+v", obs.Tool, steps)
	if len(obs.Tool.Out) != 1 || obs.Tool.Out[0].Size == 0 || len(obs.Tool.Problems) != 0 {
		t.Errorf("image.convert: %+v", obs.Tool)
	}
	obs, err = v.Execute(ctx, vmhost.Action{Exec: &wire.ExecParams{Argv: []string{"/usr/bin/head", "-c", "4", wire.OutDir + "/one.pdf"}}})
	if err != nil || string(obs.Exec.Stdout) != "%PDF" {
		t.Errorf("the result: %+v %v", obs.Exec, err)
	}
}

func toText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
