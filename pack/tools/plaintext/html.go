package plaintext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// maxToken bounds one piece of markup or text of a page, in bytes.
const maxToken = 16 << 20

// What elements of a page mean for its lines.
var (
	unseen = set("script", "style", "title", "iframe", "noembed", "noframes", "textarea")
	gaps   = set("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "blockquote", "pre", "hr", "article", "section", "header", "footer", "main", "form", "fieldset", "figure")
	blocks = set("div", "li", "tr", "dt", "dd", "address", "aside", "nav", "caption", "figcaption", "legend", "option", "body", "thead", "tbody", "tfoot")
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// HTML writes the words of a page. They are found token by token, so that no
// nesting costs anything. in may be read twice.
func HTML(w io.Writer, in io.ReadSeeker) error {
	text, err := decodedPage(in)
	if err != nil {
		return fmt.Errorf("the encoding of the page: %w", err)
	}
	out := newWriter(w)
	tokens := html.NewTokenizer(text)
	tokens.SetMaxBuf(maxToken)
	hidden, verbatim := "", 0
	for out.err == nil {
		switch tokens.Next() {
		case html.ErrorToken:
			switch err := tokens.Err(); {
			case errors.Is(err, io.EOF):
				return out.close()
			case errors.Is(err, html.ErrBufferExceeded):
				return ErrTooLarge
			default:
				return err
			}
		case html.TextToken:
			switch data := string(tokens.Text()); {
			case hidden != "":
			case verbatim > 0:
				out.exact(html.UnescapeString(data))
			default:
				out.words(html.UnescapeString(data))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			b, _ := tokens.TagName()
			name := string(b)
			switch {
			case unseen[name]:
				hidden = name
			case name == "br":
				out.lineFeed()
			case name == "td" || name == "th":
				out.tab()
			case gaps[name]:
				out.gap()
			case blocks[name]:
				out.lineEnd()
			}
			switch name {
			case "pre":
				verbatim++
			case "li":
				out.words("- ")
			}
		case html.EndTagToken:
			b, _ := tokens.TagName()
			name := string(b)
			switch {
			case name == hidden:
				hidden = ""
			case gaps[name]:
				out.gap()
			case blocks[name]:
				out.lineEnd()
			}
			if name == "pre" && verbatim > 0 {
				verbatim--
			}
		}
	}
	return out.err
}

// decodedPage is a page as UTF-8. The library looks at its first 1,024 bytes: a page that
// does not say its encoding there, and has no letters but those of English, would be
// Windows-1252 whatever follows, such as after a long style.
func decodedPage(in io.ReadSeeker) (io.Reader, error) {
	head := make([]byte, 1024)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	valid := false
	if unsaid(head[:n]) {
		if valid, err = ValidUTF8(in); err != nil {
			return nil, err
		}
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil || valid {
		return in, err
	}
	return charset.NewReader(in, "text/html")
}

// unsaid reports whether the beginning of a page leaves open what its encoding is: one
// letter in UTF-8 would decide for UTF-8.
func unsaid(head []byte) bool {
	const letter = "ä " // the library drops what ends the beginning, which may be half a letter
	for _, c := range head {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	_, name, _ := charset.DetermineEncoding(append(bytes.Clone(head[:min(len(head), 1024-len(letter))]), letter...), "text/html")
	return name == "utf-8"
}
