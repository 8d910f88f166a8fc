package webtool

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readable is the text of a page as a person reads it, in the plain marks of
// Markdown: headings, lists, links with their whole address, tables by lines. Where
// a page says what its main part is, only that. It is at most so many bytes: a page can
// make a thousand times its own length of text, with links to addresses that grow.
func readable(r io.Reader, base *url.URL, most int) (title, text string, more bool, err error) {
	doc, err := html.Parse(r)
	if err != nil {
		return "", "", false, fmt.Errorf("as HTML: %w", err)
	}
	if t := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Title }); t != nil && t.FirstChild != nil {
		title = clip(strings.Join(strings.Fields(t.FirstChild.Data), " "), maxTitle)
	}
	main := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" })
	if main == nil {
		main = doc
	}
	w := &writer{base: base, most: most}
	w.node(main)
	return title, strings.TrimSpace(w.b.String()), w.full, nil
}

func find(n *html.Node, ok func(*html.Node) bool) *html.Node {
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && ok(c) {
			return c
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// writer joins words with one space, and blocks with empty lines.
type writer struct {
	b     strings.Builder
	base  *url.URL
	most  int  // bytes
	full  bool // there is more than that
	space bool // before the next word
	lines int  // before the next word
	pre   bool
}

func (w *writer) word(s string) {
	if w.b.Len() > 0 {
		switch {
		case w.lines > 0:
			w.b.WriteString(strings.Repeat("\n", w.lines))
		case w.space:
			w.b.WriteByte(' ')
		}
	}
	w.space, w.lines = false, 0
	if left := w.most - w.b.Len(); len(s) > left {
		s, w.full = clip(s, max(0, left)), true
	}
	w.b.WriteString(s)
}

func (w *writer) line(n int) { w.lines = max(w.lines, n) }

func (w *writer) node(n *html.Node) {
	if w.full {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
		if hidden(n) {
			return
		}
	case html.CommentNode, html.DoctypeNode:
		return
	}
	before, after := around(n.DataAtom)
	w.line(before)
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.word(strings.Repeat("#", int(n.Data[1]-'0')))
		w.space = true
	case atom.Li:
		w.word("-")
		w.space = true
	case atom.Td, atom.Th:
		if cellBefore(n) {
			w.space = false
			w.word(" |")
			w.space = true
		}
	case atom.Img:
		if alt := strings.TrimSpace(attr(n, "alt")); alt != "" {
			w.text(" [" + alt + "] ")
		}
	}
	pre := w.pre
	w.pre = pre || n.DataAtom == atom.Pre
	at := w.b.Len()
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c)
	}
	w.pre = pre
	if n.DataAtom == atom.A && w.b.Len() > at && !w.full {
		w.link(attr(n, "href"))
	}
	w.line(after)
}

// text adds words; in a pre, as they are.
func (w *writer) text(s string) {
	if w.pre {
		if s != "" {
			w.word(s)
		}
		return
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		w.space = w.space || s != ""
		return
	}
	w.space = w.space || strings.ContainsAny(s[:1], " \t\r\n\f")
	for _, word := range words {
		if w.full {
			return
		}
		w.word(word)
		w.space = true
	}
	w.space = strings.ContainsAny(s[len(s)-1:], " \t\r\n\f")
}

func (w *writer) link(href string) {
	u, err := w.base.Parse(href)
	if href == "" || strings.HasPrefix(href, "#") || err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return
	}
	space := w.space
	w.space = false
	w.word(" (" + u.String() + ")")
	w.space = space
}

func cellBefore(n *html.Node) bool {
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == html.ElementNode {
			return true
		}
	}
	return false
}

// hidden is what a person does not see.
func hidden(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Select, atom.Button, atom.Nav:
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" {
			return true
		}
	}
	return false
}

// around is how many line ends stand before and after an element.
func around(a atom.Atom) (before, after int) {
	switch a {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Table, atom.Pre,
		atom.Blockquote, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Figure, atom.Dl, atom.Form:
		return 2, 2
	case atom.Div, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Main, atom.Hr, atom.Figcaption, atom.Caption:
		return 1, 1
	case atom.Br:
		return 1, 0
	}
	return 0, 0
}
