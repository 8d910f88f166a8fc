package debian

import (
	"bufio"
	"io"
	"strings"
)

// maxLine bounds a line of control data: some packages provide a lot.
const maxLine = 1 << 20

// stanza is one paragraph of control data (deb822(5)): field names in lower
// case, folded values joined with line feeds.
type stanza map[string]string

// parseStanzas reads paragraphs. Comments and lines without a colon are left
// alone.
func parseStanzas(r io.Reader) ([]stanza, error) {
	var all []stanza
	var now stanza
	field := ""
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	for s.Scan() {
		line := s.Text()
		switch {
		case strings.TrimSpace(line) == "":
			now, field = nil, ""
		case line[0] == '#':
		case line[0] == ' ' || line[0] == '\t':
			if field != "" {
				now[field] += "\n" + strings.TrimSpace(line)
			}
		default:
			name, value, ok := strings.Cut(line, ":")
			if !ok {
				continue
			}
			if now == nil {
				now = stanza{}
				all = append(all, now)
			}
			field = strings.ToLower(name)
			now[field] = strings.TrimSpace(value)
		}
	}
	return all, s.Err()
}
