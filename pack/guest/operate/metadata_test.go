//go:build unix

package operate

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// Copies for sharing say neither who made the files nor when.
func TestRealStrip(t *testing.T) {
	if _, err := exec.LookPath("exiftool"); err != nil {
		t.Skip("exiftool is not installed: ./scripts/setup --test does")
	}
	b := newBench(t)
	in := []string{b.file("a.mp4", film("isom")), b.file("a.mov", film("qt  ")), b.file("a.jpg", jpegBytes(t)), b.file("a.png", alphaBytes(t))}
	for _, name := range []string{"pages.tiff", "big.tiff", "a.heic", "anim.gif", "lossy.webp"} {
		data, err := os.ReadFile(filepath.Join("../../tools/picture/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, b.file(name, data))
	}
	call := func(op string, in []string, out string, params map[string]any) wire.ToolResult {
		t.Helper()
		p := wire.ToolParams{ID: "x", Op: op, In: in, Out: out, Params: params}
		scratch := t.TempDir()
		r, err := Run(t.Context(), job.Order{Tool: p, Scratch: scratch}, job.Programs(scratch, os.Getenv("PATH"), false, nil, nil), func(job.Event) {})
		if err != nil || len(r.Problems) != 0 {
			t.Fatal(op, r.Problems, err)
		}
		return r
	}
	made := func(r wire.ToolResult) (out []string) {
		for _, f := range r.Out {
			out = append(out, f.Path)
		}
		return out
	}
	const secret = "SECRET"
	told := made(call("metadata.write", in, filepath.Join(b.dir, "told"), map[string]any{
		"title": secret, "author": secret, "description": secret, "copyright": secret, "keywords": []any{secret}, "taken": "2024-05-31 12:00:00",
	}))
	for keep, days := range map[bool]string{false: "[]", true: "[2024-05-31]"} {
		bare := made(call("metadata.strip", told, filepath.Join(b.dir, fmt.Sprint("bare", keep)), map[string]any{"keepDate": keep}))
		if len(bare) != len(in) {
			t.Fatal(bare)
		}
		for i, info := range call("metadata.read", bare, "", map[string]any{"all": true}).Info {
			data, err := os.ReadFile(bare[i])
			if err != nil || bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s still says it, %v", bare[i], err)
			}
			var found []string
			for name, v := range info.(tools.MetadataInfo).Tags {
				if day, _, _ := strings.Cut(fmt.Sprint(v), " "); strings.Contains(name, "Date") && day != "0000:00:00" && !slices.Contains(found, day) {
					found = append(found, day)
				}
			}
			if fmt.Sprint(found) != days && !(keep && len(found) == 0 && strings.HasSuffix(bare[i], ".gif")) {
				t.Errorf("%s has the days %v, want %s: %v", filepath.Base(bare[i]), found, days, info)
			}
		}
	}
}
