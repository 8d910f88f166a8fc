package operate

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/pack/tools/plaintext"
)

// textKind is the kind of a document: by its content and, for plain text, by
// its suffix.
func textKind(head []byte, path string) string {
	suffix := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	lower := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n"))
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		switch {
		case bytes.Contains(head, []byte("mimetypeapplication/vnd.oasis.opendocument.text")):
			return tools.TextODT
		case bytes.Contains(head, []byte("word/")), suffix == "docx":
			return tools.TextDOCX
		case suffix == "odt":
			return tools.TextODT
		}
		return ""
	case bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0")):
		if suffix == "doc" {
			return tools.TextDOC
		}
		return ""
	case bytes.HasPrefix(head, []byte("{\\rtf")):
		return tools.TextRTF
	case suffix == "txt" && plaintext.IsUTF16(head):
		return tools.TextPlain
	case !job.LooksLikeText(head):
		return ""
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")), suffix == "html", suffix == "htm":
		return tools.TextHTML
	case suffix == "md", suffix == "markdown":
		return tools.TextMarkdown
	}
	return tools.TextPlain
}

// textConvert is text.convert.
func textConvert(ctx context.Context, r *job.Job, p *tools.TextConvert) error {
	return r.Each(ctx, p.Each, p.To, func(ctx context.Context, n int, path string) (*job.Piece, error) {
		kind := ""
		in, err := r.Take(ctx, path, tools.ScratchName(n, "in"), tools.MaxTextSize, func(head []byte) string {
			if kind = textKind(head, path); kind == "" {
				return "the file is not a document"
			}
			return ""
		})
		if err != nil {
			return nil, err
		}
		name := tools.ScratchName(n, kind)
		if err := r.ScratchRename(in.Name, name); err != nil {
			return nil, err
		}
		out, err := convertText(ctx, r, n, path, kind, p.To, name)
		return &job.Piece{File: out, Suffix: p.To}, err
	})
}

// convertText makes a document of another kind, in the steps that it takes.
func convertText(ctx context.Context, r *job.Job, n int, path, kind, to, in string) (string, error) {
	step := func(argv []string, out string) (string, error) {
		if err := r.Tool(ctx, path, tools.InputBroken, argv); err != nil {
			return "", err
		}
		if _, err := r.ScratchSize(out); err != nil {
			return "", job.Refuse(tools.InputBroken, path, argv[0]+" made nothing")
		}
		return out, nil
	}
	out := tools.ScratchName(n, "out."+to)
	office := func(to, in string) (string, error) {
		return step(tools.Office(to, in, r.Scratch("office")), strings.TrimSuffix(in, filepath.Ext(in))+"."+to)
	}
	switch {
	case kind == to:
		return in, nil
	case kind == tools.TextDOC: // only LibreOffice reads it
		odt, err := office(tools.TextODT, in)
		if err != nil {
			return "", err
		}
		return convertText(ctx, r, n, path, tools.TextODT, to, odt)
	case kind == tools.TextPlain:
		marked := tools.ScratchName(n, "plain.html")
		if err := plainPage(r, in, marked); err != nil {
			return "", err
		}
		return convertText(ctx, r, n, path, tools.TextHTML, to, marked)
	case to == "pdf" && kind == tools.TextHTML:
		return step(tools.Weasyprint(in, out), out)
	case to == "pdf" && kind == tools.TextMarkdown:
		name := tools.ScratchName(n, "page.html")
		page, err := step(tools.Pandoc(kind, tools.TextHTML, titleOf(path), in, name), name)
		if err != nil {
			return "", err
		}
		return step(tools.Weasyprint(page, out), out)
	case to == "pdf":
		pdf, err := office("pdf", in)
		if err != nil {
			return "", err
		}
		return out, neutral(ctx, r, path, pdf, out)
	}
	if to == tools.TextMarkdown {
		if err := r.ScratchWrite(tools.PandocFilterName, []byte(tools.PandocFilter)); err != nil {
			return "", err
		}
	}
	return step(tools.Pandoc(kind, to, titleOf(path), in, out), out)
}

// titleOf is what a page is called that is made of a file: its name without the
// suffix, in characters that every program takes.
func titleOf(path string) string {
	name := filepath.Base(path)
	if stem := strings.TrimSuffix(name, filepath.Ext(name)); stem != "" {
		name = stem
	}
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(name, "\uFFFD"))
}

// plainPage makes a page of plain text, line by line.
func plainPage(r *job.Job, in, out string) error {
	f, _, err := job.OpenMade(r.Scratch(in))
	if err != nil {
		return err
	}
	defer f.Close()
	decoded, err := plaintext.Decoded(f)
	if err != nil {
		return err
	}
	b, err := io.ReadAll(decoded) // the input was bounded when it was taken
	if err != nil {
		return err
	}
	text := strings.ToValidUTF8(strings.TrimPrefix(string(b), "\uFEFF"), "\uFFFD")
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r\n", "\n", "\f", "\n").Replace(text)
	page := "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><style>pre{white-space:pre-wrap;font-family:monospace}</style></head>\n<body><pre>\n" + text + "</pre></body></html>\n"
	return r.ScratchWrite(out, []byte(page))
}
