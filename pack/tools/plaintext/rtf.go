package plaintext

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"
)

// maxGroups bounds how many groups of a document are open.
const maxGroups = 2000

// hiddenGroups are destinations in which nothing is to be read.
var hiddenGroups = set("fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "listtable", "listoverridetable", "revtbl", "rsidtbl",
	"generator", "themedata", "colorschememapping", "latentstyles", "datastore", "xmlnstbl", "fldinst", "header", "headerl", "headerr", "headerf",
	"footer", "footerl", "footerr", "footerf", "bkmkstart", "bkmkend", "filetbl", "annotation", "pntext", "pnseclvl", "nonshppict", "mmathPr")

// rtfChars are control words that stand for a character.
var rtfChars = map[string]rune{
	"emdash": '—', "endash": '–', "lquote": '‘', "rquote": '’', "ldblquote": '“', "rdblquote": '”', "bullet": '•', "emspace": ' ', "enspace": ' ',
}

// codePages by their number in \ansicpg.
var codePages = map[int]*charmap.Charmap{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 866: charmap.CodePage866, 1250: charmap.Windows1250, 1251: charmap.Windows1251,
	1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254, 1255: charmap.Windows1255, 1256: charmap.Windows1256,
	1257: charmap.Windows1257, 1258: charmap.Windows1258, 10000: charmap.Macintosh,
}

// group is the state that a group of braces has.
type group struct {
	hidden bool
	deaf   bool // deleted text
	skip   int  // characters behind a \u that stand for it
}

// rtf reads one document (Rich Text Format Specification 1.9.1).
type rtf struct {
	in    *bufio.Reader
	out   *writer
	page  *charmap.Charmap
	open  []group
	left  int  // characters to leave out
	high  rune // first half of a pair, 0 without one
	first bool // nothing of the group was read yet
}

// RTF writes the words of an RTF document.
func RTF(w io.Writer, in io.Reader) error {
	d := &rtf{in: bufio.NewReaderSize(in, 64<<10), out: newWriter(w), page: charmap.Windows1252, open: []group{{skip: 1}}}
	head, err := d.in.Peek(5)
	if err != nil || string(head) != `{\rtf` {
		return ErrKind
	}
	for d.out.err == nil {
		b, err := d.in.ReadByte()
		if errors.Is(err, io.EOF) {
			if len(d.open) > 1 {
				return io.ErrUnexpectedEOF
			}
			break
		}
		if err != nil {
			return err
		}
		switch b {
		case '{':
			if len(d.open) > maxGroups {
				return fmt.Errorf("%w: groups stand too deep in one another", ErrTooLarge)
			}
			d.open = append(d.open, d.open[len(d.open)-1])
			d.left, d.first = 0, true
			continue
		case '}':
			d.left = 0
			if len(d.open) > 1 {
				d.open = d.open[:len(d.open)-1]
			}
			if len(d.open) == 1 { // what follows the document is none of it
				return d.out.close()
			}
		case '\\':
			if err := d.control(); err != nil {
				if errors.Is(err, io.EOF) {
					err = io.ErrUnexpectedEOF
				}
				return err
			}
			continue
		case '\r', '\n', 0:
		default:
			d.char(d.page.DecodeByte(b))
		}
		d.first = false
	}
	return d.out.close()
}

func (d *rtf) top() *group { return &d.open[len(d.open)-1] }

// char writes a character, unless it stands for one before it.
func (d *rtf) char(r rune) {
	if d.left > 0 {
		d.left--
		return
	}
	d.write(r)
}

func (d *rtf) write(r rune) {
	if g := d.top(); !g.hidden && !g.deaf {
		d.out.char(r)
	}
}

func (d *rtf) line(f func(*writer)) {
	if g := d.top(); !g.hidden && !g.deaf {
		f(d.out)
	}
}

// control reads what follows a backslash.
func (d *rtf) control() error {
	b, err := d.in.ReadByte()
	if err != nil {
		return err
	}
	first := d.first
	d.first = false
	if b < 'a' || b > 'z' {
		switch b {
		case '\'':
			var hex [2]byte
			if _, err := io.ReadFull(d.in, hex[:]); err != nil {
				return err
			}
			n, err := strconv.ParseUint(string(hex[:]), 16, 8)
			if err != nil {
				return fmt.Errorf("a character: %w", err)
			}
			d.char(d.page.DecodeByte(byte(n)))
		case '*':
			if first {
				d.top().hidden = true
			}
		case '~':
			d.char('\u00A0')
		case '_':
			d.char('-')
		case '\\', '{', '}':
			d.char(rune(b))
		case '\n', '\r':
			d.line((*writer).lineFeed)
		}
		return nil
	}
	word, n, has, err := d.word(b)
	if err != nil {
		return err
	}
	return d.apply(word, n, has)
}

// word reads a control word and its number.
func (d *rtf) word(first byte) (word string, n int, has bool, err error) {
	const most = 40
	name := []byte{first}
	var digits []byte
	for {
		b, err := d.in.ReadByte()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", 0, false, err
		}
		switch {
		case len(digits) == 0 && (b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'):
			name = append(name, b)
		case b >= '0' && b <= '9', b == '-' && len(digits) == 0:
			digits = append(digits, b)
		case b == ' ':
			n, has = rtfNumber(digits)
			return string(name), n, has, nil
		default:
			n, has = rtfNumber(digits)
			return string(name), n, has, d.in.UnreadByte()
		}
		if len(name)+len(digits) > most {
			return "", 0, false, errors.New("a control word without an end")
		}
	}
	n, has = rtfNumber(digits)
	return string(name), n, has, nil
}

func rtfNumber(digits []byte) (int, bool) {
	n, err := strconv.Atoi(string(digits))
	return n, err == nil
}

func (d *rtf) apply(word string, n int, has bool) error {
	g := d.top()
	switch word {
	case "par", "line", "page", "sect", "row", "column":
		d.line((*writer).lineFeed)
	case "tab", "cell", "nestcell":
		d.line((*writer).tab)
	case "ansicpg":
		if p := codePages[n]; p != nil {
			d.page = p
		}
	case "mac":
		d.page = charmap.Macintosh
	case "pc":
		d.page = charmap.CodePage437
	case "pca":
		d.page = charmap.CodePage850
	case "uc":
		g.skip = min(max(n, 0), 100)
	case "u":
		d.unicode(rune(uint16(n)))
		d.left = g.skip
	case "v", "deleted":
		g.deaf = !has || n != 0
	case "plain":
		g.deaf = false
	case "bin":
		if n < 0 {
			return errors.New("data of a negative length")
		}
		if _, err := d.in.Discard(n); err != nil {
			return err
		}
	default:
		if hiddenGroups[word] {
			g.hidden = true
		} else if r, ok := rtfChars[word]; ok {
			d.char(r)
		}
	}
	return nil
}

// unicode writes a character given as UTF-16, whose halves come in turn.
func (d *rtf) unicode(r rune) {
	switch {
	case d.high != 0:
		d.write(utf16.DecodeRune(d.high, r))
		d.high = 0
	case utf16.IsSurrogate(r):
		d.high = r
	default:
		d.write(r)
	}
}
