package operate

import (
	"bytes"
	"context"
	"strings"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// plistFormat is the format of a property list by its beginning.
func plistFormat(head []byte) string {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("bplist00")):
		return "binary"
	case len(text) == 0 || !looksLikeText(head):
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
func (r *run) takePlist(ctx context.Context, n int, path string) (*taken, string, *wire.ToolProblem, error) {
	format := ""
	in, problem, err := r.take(ctx, path, tools.ScratchName(n, "in"), tools.MaxPlistSize, func(head []byte) *reason {
		if format = plistFormat(head); format == "" {
			return unsupported("the file is not a property list")
		}
		return nil
	})
	return in, format, problem, err
}

// plistValidate is plist.validate.
func (r *run) plistValidate(ctx context.Context, _ *tools.NoParams) error {
	return r.eachInput(ctx, func(ctx context.Context, n int, path string) (any, *wire.ToolProblem, error) {
		in, format, problem, err := r.takePlist(ctx, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		problem, err = r.tool(ctx, path, tools.InputBroken, tools.Plistutil("xml", in.name, tools.ScratchName(n, "out")))
		return tools.PlistInfo{Path: path, Format: format, Size: in.size, SHA256: in.sha256}, problem, err
	})
}

// plistConvert is plist.convert.
func (r *run) plistConvert(ctx context.Context, p *tools.PlistConvert) error {
	suffix := "plist"
	if p.To == "json" {
		suffix = "json"
	}
	return r.each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*piece, *wire.ToolProblem, error) {
		in, _, problem, err := r.takePlist(ctx, n, path)
		if err != nil || problem != nil {
			return nil, problem, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		problem, err = r.tool(ctx, path, tools.InputBroken, tools.Plistutil(p.To, in.name, out))
		if problem != nil && strings.Contains(problem.Detail, "not compatible with output format") { // as dates and JSON
			problem.Code = tools.InputUnsupported
		}
		return &piece{file: out, suffix: suffix}, problem, err
	})
}
