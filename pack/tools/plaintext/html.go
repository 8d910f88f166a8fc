package plaintext

import (
	"errors"
	"fmt"
	"io"

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
// nesting costs anything.
func HTML(w io.Writer, in io.Reader) error {
	text, err := charset.NewReader(in, "text/html")
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
