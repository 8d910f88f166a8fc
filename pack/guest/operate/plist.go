package operate

import (
	"bytes"
	"context"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
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
func takePlist(ctx context.Context, r *job.Job, n int, path string) (*job.Taken, string, error) {
	format := ""
	in, err := r.Take(ctx, path, tools.ScratchName(n, "in"), tools.MaxPlistSize, func(head []byte) string {
		if format = plistFormat(head); format == "" {
			return "the file is not a property list"
		}
		return ""
	})
	return in, format, err
}

// plistValidate is plist.validate.
func plistValidate(ctx context.Context, r *job.Job, _ *tools.NoParams) error {
	return r.ReportEach(ctx, func(ctx context.Context, n int, path string) (any, error) {
		in, format, err := takePlist(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		return tools.PlistInfo{Path: path, Format: format, Size: in.Size, SHA256: in.SHA256}, r.Tool(ctx, path, tools.InputBroken, tools.Plistutil("xml", in.Name, tools.ScratchName(n, "out")))
	})
}

// plistConvert is plist.convert.
func plistConvert(ctx context.Context, r *job.Job, p *tools.PlistConvert) error {
	suffix := "plist"
	if p.To == "json" {
		suffix = "json"
	}
	return r.Each(ctx, p.Each, suffix, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		in, _, err := takePlist(ctx, r, n, path)
		if err != nil {
			return nil, err
		}
		out := tools.ScratchName(n, "out."+suffix)
		err = r.Tool(ctx, path, tools.InputBroken, tools.Plistutil(p.To, in.Name, out))
		if refused := job.Refused(err); refused != nil && strings.Contains(refused.Detail, "not compatible with output format") { // as dates and JSON
			refused.Code = tools.InputUnsupported
		}
		return &job.Piece{File: out, Suffix: suffix}, err
	})
}
