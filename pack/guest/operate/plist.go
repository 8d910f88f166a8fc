package operate

import (
	"bytes"
	"context"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// plistFormat is the format of a property list by its beginning.
func plistFormat(head []byte) string {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("bplist00")):
		return "binary"
	case len(text) == 0 || !job.LooksLikeText(head):
		return ""
	case bytes.HasPrefix(text, []byte("<?xml")), bytes.HasPrefix(text, []byte("<!DOCTYPE plist")), bytes.HasPrefix(text, []byte("<plist")):
		if !bytes.Contains(head, []byte("<plist")) {
			return ""
		}
		return "xml"
	case bytes.HasPrefix(text, []byte("{\"")), bytes.HasPrefix(text, []byte("[")):
		return "json"
	case text[0] == '{', text[0] == '(', text[0] == '/':
		return "openstep"
	}
	return ""
}

// takePlist copies a property list into scratch.
func takePlist(ctx context.Context, r *job.Job, n int, path string) (*job.Taken, string, *wire.ToolProblem, error) {
	format := ""
	in, problem, err := r.Take(ctx, path, tools.ScratchName(n, "in"), tools.MaxPlistSize, func(head []byte) *job.Reason {
		if format = plistFormat(head); format == "" {
			return job.Unsupported("the file is not a property list")
		}
		return nil
	})
	return in, format, problem, err
}

// plistValidate is plist.validate.
func plistValidate(ctx context.Context, r *job.Job, _ *tools.NoParams) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error) {
		in, format, problem, err := takePlist(ctx, r, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		problem, err = r.Tool(ctx, path, tools.InputBroken, tools.Plistutil("xml", in.Name, tools.ScratchName(n, "out")))
		return tools.PlistInfo{Path: path, Format: format, Size: in.Size, SHA256: in.SHA256}, problem, err
	})
}

// plistConvert is plist.convert.
func plistConvert(ctx context.Context, r *job.Job, p *tools.PlistConvert) error {
	suffix := "plist"
	if p.To == "json" {
		suffix = "json"
	}
	return r.Each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*job.Piece, *wire.ToolProblem, error) {
		in, _, problem, err := takePlist(ctx, r, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		problem, err = r.Tool(ctx, path, tools.InputBroken, tools.Plistutil(p.To, in.Name, out))
		if problem != nil && strings.Contains(problem.Detail, "not compatible with output format") { // as dates and JSON
			problem.Code = tools.InputUnsupported
		}
		return &job.Piece{File: out, Suffix: suffix}, problem, err
	})
}
