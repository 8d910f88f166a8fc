package debian

import (
	"bufio"
	"io"
	"strings"
)

// maxLine bounds a line of control data: some packages provide a lot.
const maxLine = 1 << 20

// Paragraph is one paragraph of control data (deb822(5)): field names in lower
// case, folded values joined with line feeds.
type Paragraph map[string]string

// Paragraphs reads control data. Comments and lines without a colon are left
// alone. A line of blanks ends a paragraph, one of any other space does not: the
// texts of licences have form feeds. Lines longer than 1 MiB are an error.
func Paragraphs(r io.Reader) ([]Paragraph, error) {
	var all []Paragraph
	var now Paragraph
	field := ""
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	for s.Scan() {
		line := strings.TrimRight(s.Text(), " \t\r")
		switch {
		case line == "":
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
				now = Paragraph{}
				all = append(all, now)
			}
			field = strings.ToLower(name)
			now[field] = strings.TrimSpace(value)
		}
	}
	return all, s.Err()
}
