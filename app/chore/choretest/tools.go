package choretest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // Go's decoders are what this runtime reads pictures with
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// pdfHeader begins the PDFs that this runtime makes; a line for each page
// follows.
const pdfHeader = "%PDF-fake\n"

// Pages returns the names of the pictures in a PDF that this runtime made.
func Pages(pdf []byte) []string {
	body, ok := strings.CutPrefix(string(pdf), pdfHeader)
	if !ok {
		return nil
	}
	var out []string
	for line := range strings.Lines(body) {
		var name string
		if _, err := fmt.Sscanf(line, "%q", &name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

func (r *Runtime) tool(ctx context.Context, p wire.ToolParams, progress func(wire.ToolProgress)) (wire.ToolResult, error) {
	if r.Before != nil {
		res, err := r.Before(ctx, p)
		if err != nil {
			return wire.ToolResult{}, err
		}
		if res != nil {
			return *res, nil
		}
	}
	if progress == nil {
		progress = func(wire.ToolProgress) {}
	}
	switch p.Op {
	case "file.hash", "image.info", "image.convert", "pdf.merge":
		if r.Programs == nil {
			break
		}
		fallthrough
	default:
		return r.operate(ctx, p, progress)
	}
	var res wire.ToolResult
	var pages bytes.Buffer
	pages.WriteString(pdfHeader)
	done := 0
	for i, in := range p.In {
		if err := ctx.Err(); err != nil {
			return wire.ToolResult{}, context.Cause(ctx)
		}
		data, err := r.read(in)
		if err != nil {
			res.Problems = append(res.Problems, readProblem(in, err))
			continue
		}
		sum := sha256.Sum256(data)
		switch p.Op {
		case "file.hash":
			res.Info = append(res.Info, map[string]any{"path": in, "sha256": hex.EncodeToString(sum[:]), "size": len(data)})
		case "image.info", "image.convert":
			info, problem := look(in, data)
			if problem != nil {
				res.Problems = append(res.Problems, *problem)
				break
			}
			info["sha256"] = hex.EncodeToString(sum[:])
			res.Info = append(res.Info, info)
			fmt.Fprintf(&pages, "%q\n", path.Base(in))
			done++
		case "pdf.merge":
			body, ok := bytes.CutPrefix(data, []byte(pdfHeader))
			if !ok {
				res.Problems = append(res.Problems, wire.ToolProblem{Code: "input-broken", Path: in, Detail: "no PDF"})
				break
			}
			pages.Write(body)
			done++
		default:
			return wire.ToolResult{}, &vmhost.ActionError{Code: vmhost.ActionUnknownOp, What: p.Op}
		}
		progress(wire.ToolProgress{ID: p.ID, Done: int64(i + 1), Total: int64(len(p.In)), Item: in})
	}
	if p.Op != "image.convert" && p.Op != "pdf.merge" {
		return res, nil
	}
	if done == 0 {
		return res, nil
	}
	if problem := r.place(p, pages.Bytes()); problem != nil {
		res.Problems = append(res.Problems, *problem)
		return res, nil
	}
	sum := sha256.Sum256(pages.Bytes())
	res.Out = []wire.ToolFile{{Path: p.Out, Size: int64(pages.Len()), SHA256: hex.EncodeToString(sum[:])}}
	return res, nil
}

// inFiles reports whether a path is in Files.
func (r *Runtime) inFiles(guest string) bool {
	return r.Files != nil && strings.HasPrefix(guest, wire.FoldersDir+"/")
}

func (r *Runtime) read(guest string) ([]byte, error) {
	if r.inFiles(guest) {
		return r.Files.Read(guest)
	}
	name, _, err := r.host(guest)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(filepath.FromSlash(name))
}

func readProblem(in string, err error) wire.ToolProblem {
	code := "input-unreadable"
	if errors.Is(err, fs.ErrNotExist) {
		code = "input-missing"
	}
	return wire.ToolProblem{Code: code, Path: in, Detail: err.Error()}
}

// look says what a picture is, or why it cannot be used.
func look(in string, data []byte) (map[string]any, *wire.ToolProblem) {
	if bytes.Contains(data, []byte("ftypheic")) {
		return nil, &wire.ToolProblem{Code: "input-unsupported", Path: in}
	}
	img, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, &wire.ToolProblem{Code: "input-broken", Path: in, Detail: err.Error()}
	}
	b := img.Bounds()
	return map[string]any{"path": in, "format": format, "width": b.Dx(), "height": b.Dy(), "size": len(data)}, nil
}

// place puts a result where it belongs, whole or not at all.
func (r *Runtime) place(p wire.ToolParams, data []byte) *wire.ToolProblem {
	if r.inFiles(p.Out) {
		return placeProblem(r.Files.Write(p.Out, data))
	}
	name, readOnly, err := r.host(p.Out)
	if err != nil || readOnly {
		return &wire.ToolProblem{Code: "output-denied", Detail: "read-only file system"}
	}
	name = filepath.FromSlash(name)
	if _, err := os.Lstat(name); err == nil {
		return &wire.ToolProblem{Code: "output-exists"}
	}
	write := r.WriteFile
	if write == nil {
		write = func(name string, data []byte) error { return os.WriteFile(name, data, 0o600) }
	}
	return placeProblem(write(name, data))
}

func placeProblem(err error) *wire.ToolProblem {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return &wire.ToolProblem{Code: "output-exists"}
	case errors.Is(err, syscall.ENOSPC):
		return &wire.ToolProblem{Code: "disk-full", Detail: err.Error()}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &wire.ToolProblem{Code: "output-denied", Detail: err.Error()}
	default:
		return &wire.ToolProblem{Code: "tool-failed", Detail: err.Error()}
	}
}
