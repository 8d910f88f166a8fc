package diagnostics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Place is a directory of the program itself.
type Place struct {
	Name string // of its placeholder: "data" becomes <data>
	Path string // absolute
}

// Known is what the caller knows of this computer and its person.
type Known struct {
	Places []Place
	Users  []string // account, full name
	Hosts  []string // names of the computer
	Names  []string // of the person's folders, files and tasks
}

// Redactor takes out what must not leave the computer. It remembers which
// placeholder stands for what, so that the same path is the same one all over a
// bundle. It may be used by several goroutines.
type Redactor struct {
	places []place
	words  []word

	mu    sync.Mutex
	marks []string       // by their rune, from firstMark
	known map[string]int // number of a placeholder, by kind and text
	count map[string]int // of placeholders, by kind
}

type place struct {
	at   gated
	name string
}

type word struct {
	at   gated
	name string
}

// Placeholders are single runes of the private use area while a text is worked on,
// so that no rule mistakes one for a text.
const (
	firstMark = '\uE000'
	lastMark  = '\uF8FF'
)

// generic names of accounts and computers say nothing of anybody, and stand
// everywhere in logs.
var generic = []string{"root", "user", "admin", "administrator", "guest", "piwork", "linux", "localhost", "localdomain", "debian", "ubuntu", "local", "home", "vm", "host"}

// NewRedactor makes a redactor.
func NewRedactor(k Known) *Redactor {
	r := &Redactor{known: map[string]int{}, count: map[string]int{}}
	places := slices.Clone(k.Places)
	slices.SortStableFunc(places, func(a, b Place) int { return len(b.Path) - len(a.Path) }) // the inner ones first
	for _, p := range places {
		if len(p.Path) > 1 {
			r.places = append(r.places, place{at: gate(partOf(p.Path), `(?i)`+spellings(p.Path)), name: p.Name})
		}
	}
	add := func(name string, minimum int, texts []string) {
		texts = slices.Clone(texts)
		slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
		for _, t := range texts {
			if t = strings.TrimSpace(t); utf8.RuneCountInString(t) < minimum || slices.Contains(generic, strings.ToLower(t)) {
				continue
			}
			r.words = append(r.words, word{at: gate(partOf(t), `(?i)`+regexp.QuoteMeta(t)), name: name})
		}
	}
	add("name", 3, k.Names)
	users := slices.Clone(k.Users)
	for _, u := range k.Users {
		users = append(users, slices.DeleteFunc(strings.Fields(u), func(part string) bool { return len(part) < 3 })...)
	}
	add("user", 2, users)
	hosts := slices.Clone(k.Hosts)
	for _, h := range k.Hosts {
		if short, _, ok := strings.Cut(h, "."); ok {
			hosts = append(hosts, short)
		}
	}
	add("computer", 2, hosts)
	return r
}

// spellings matches a path as systems and programs write it: with either slash,
// doubled by quoting, and with what URLs write for a blank.
func spellings(path string) string {
	var b strings.Builder
	for _, c := range strings.TrimRight(path, `/\`) {
		switch {
		case c == '/' || c == '\\':
			b.WriteString(`(?:/|\\\\?)`)
		case c == ' ':
			b.WriteString(`(?: |%20)`)
		case c > unicode.MaxASCII:
			b.WriteString(`(?:` + regexp.QuoteMeta(string(c)) + `|(?:%[0-9a-f]{2}){` + fmt.Sprint(utf8.RuneLen(c)) + `})`)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String()
}

// Text redacts free text, line by line.
func (r *Redactor) Text(s string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s = clean(s)
	s = pem().ReplaceAllStringFunc(s, func(string) string { return r.mark("secret") })
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = r.line(line)
	}
	s = strings.Join(lines, "\n")
	return r.spell(s)
}

// JSON writes a value as indented JSON, each string in it redacted by itself, and
// those altogether whose name says that they are secret.
func (r *Redactor) JSON(v any) (string, error) {
	tree, err := decode(v)
	if err != nil {
		return "", fmt.Errorf("read the value: %w", err)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r.value(tree)); err != nil {
		return "", fmt.Errorf("write the value: %w", err)
	}
	return out.String(), nil
}

func (r *Redactor) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.Text(v)
	case []any:
		for i := range v {
			v[i] = r.value(v[i])
		}
		return v
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, inner := range v {
			text, isText := inner.(string)
			switch {
			case isText && text != "" && secretName.MatchString(k):
				out[r.Text(k)] = "<secret>"
			default:
				out[r.Text(k)] = r.value(inner)
			}
		}
		return out
	default:
		return v
	}
}

// clean takes out what steers a terminal, and runes that stand for placeholders.
func clean(s string) string {
	s = escapes().ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\n' || c == '\t':
			return c
		case c >= firstMark && c <= lastMark, unicode.IsControl(c), unicode.Is(unicode.Cf, c):
			return -1
		case c == '\u2028' || c == '\u2029':
			return '\n'
		}
		return c
	}, s)
}

// mark returns the rune of a placeholder that is the same for everything.
func (r *Redactor) mark(text string) string {
	text = "<" + text + ">"
	i := slices.Index(r.marks, text)
	if i < 0 {
		if len(r.marks) > int(lastMark-firstMark) {
			return "<…>"
		}
		i = len(r.marks)
		r.marks = append(r.marks, text)
	}
	return string(firstMark + rune(i))
}

// numbered returns the rune of a placeholder that stands for one text.
func (r *Redactor) numbered(kind, text string) string {
	key := kind + "\x00" + text
	n, seen := r.known[key]
	if !seen {
		r.count[kind]++
		n = r.count[kind]
		r.known[key] = n
	}
	return r.mark(fmt.Sprintf("%s-%d", kind, n))
}

// spell writes placeholders out.
func (r *Redactor) spell(s string) string {
	var b strings.Builder
	for _, c := range s {
		if i := int(c - firstMark); c >= firstMark && i < len(r.marks) {
			b.WriteString(r.marks[i])
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}
