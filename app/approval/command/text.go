package command

import (
	"slices"
	"strings"
)

var sedOptions = optionsOf(`-n -E -r -s -u -z -e: --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression=`)

// sed allows scripts that print and substitute. Its commands e and w, and the flags
// of that name, run and write; -i writes the file itself.
func sed(_ *checker, args []word) bool {
	g, ok := sedOptions.sort(args)
	scripts := g.values("-e", "--expression")
	if len(scripts) == 0 && len(g.operands) > 0 {
		scripts = g.operands[:1]
	}
	return ok && len(scripts) > 0 && !slices.ContainsFunc(scripts, func(w word) bool { return !w.known || !sedScript(w.text) })
}

// sedScript reads the part of sed's language that is allowed.
func sedScript(s string) bool {
	p := &scanner{s: s}
	for {
		p.skip(" \t\n;")
		if p.done() {
			return true
		}
		if !p.address() {
			return false
		}
		p.skip(" \t")
		for p.take('!') {
			p.skip(" \t")
		}
		switch ch := p.next(); ch {
		case 'p', 'd', 'D', 'P', 'n', 'N', 'h', 'H', 'g', 'G', 'x', 'l', '=':
		case 'q', 'Q':
			p.skip(" \t")
			p.skip("0123456789")
		case '{', '}':
			continue
		case 's', 'y':
			end := p.next()
			if end == 0 || end == '\\' || end == '\n' || end >= 0x80 || !p.until(end) || !p.until(end) {
				return false
			}
			if ch == 's' {
				p.skip("gpiImM0123456789")
			}
		default:
			return false
		}
		p.skip(" \t")
		if !p.done() && strings.IndexByte(";\n}", p.s[p.at]) < 0 {
			return false
		}
	}
}

// address takes the lines that a command of sed is for.
func (p *scanner) address() bool {
	for n := 0; ; n++ {
		p.skip(" \t")
		switch {
		case p.done():
			return n == 0
		case p.s[p.at] == '/':
			p.at++
			if !p.until('/') {
				return false
			}
			p.skip("IM")
		case p.s[p.at] == '$':
			p.at++
		case strings.IndexByte("0123456789", p.s[p.at]) >= 0, n > 0 && (p.s[p.at] == '+' || p.s[p.at] == '~'):
			p.skip("+~")
			p.skip("0123456789")
			if p.take('~') {
				p.skip("0123456789")
			}
		default:
			return n == 0
		}
		p.skip(" \t")
		if n > 0 || !p.take(',') {
			return true
		}
	}
}

// scanner reads a text byte by byte.
type scanner struct {
	s  string
	at int
}

func (p *scanner) done() bool { return p.at >= len(p.s) }

func (p *scanner) next() byte {
	if p.done() {
		return 0
	}
	p.at++
	return p.s[p.at-1]
}

func (p *scanner) take(ch byte) bool {
	if p.done() || p.s[p.at] != ch {
		return false
	}
	p.at++
	return true
}

func (p *scanner) skip(set string) {
	for !p.done() && strings.IndexByte(set, p.s[p.at]) >= 0 {
		p.at++
	}
}

// until goes behind the next end, as sed does: only a backslash keeps it from
// ending. A line ends nothing, and is not allowed.
func (p *scanner) until(end byte) bool {
	for !p.done() {
		switch ch := p.next(); ch {
		case end:
			return true
		case '\n':
			return false
		case '\\':
			if n := p.next(); n == 0 || n == '\n' {
				return false
			}
		}
	}
	return false
}

var awkOptions = optionsOf(`-F: -v:`)

// awk allows programs that print. It takes no program apart: where one writes or runs
// something, a ">" or a "|" stands behind the first print, or there is the word system
// or getline, or an "@" of gawk's.
func awk(_ *checker, args []word) bool {
	rest, ok := awkOptions.leading(args)
	if !ok || len(rest) == 0 || !rest[0].known {
		return false
	}
	program := rest[0].text
	for _, w := range []string{"system", "getline", "@", "/inet", "\\\n"} {
		if strings.Contains(program, w) {
			return false
		}
	}
	_, printed, _ := strings.Cut(program, "print")
	return !strings.ContainsAny(strings.ReplaceAll(printed, "||", ""), ">|")
}

// tar allows listing an archive. It refuses a name with a colon: tar takes the part before
// it for another computer, and connects to it.
func tar(_ *checker, args []word) bool {
	if len(args) > 0 && args[0].known && args[0].text != "" && args[0].text[0] != '-' { // tar tf
		args = append([]word{literal("-" + args[0].text)}, args[1:]...)
	}
	g, ok := tarOptions.sort(args)
	return ok && g.has("-t", "--list") && files(g.values("-f", "--file")) && files(g.operands)
}

var tarOptions = optionsOf(`-t -v -z -j -J -f: --list --verbose --gzip --bzip2 --xz --zstd --file= --full-time --wildcards`)

// sevenZip allows to list one archive.
func sevenZip(_ *checker, args []word) bool {
	return len(args) == 2 && args[0].known && (args[0].text == "l" || args[0].text == "t") && args[1].one && args[1].file()
}

var exiftoolOptions = optionsOf(`= -a -e -f -G -g -H -j -l -n -q -r -s -S -t -T -u -U -X -b -c: -d: -ext: -s1 -s2 -s3 -G0 -G1 -G4 -g0 -g1 -json -csv -ee -fast -fast2 -m -ver -sort -struct
	-All -all -common -AllDates -Artist -Author -Aperture -BitDepth -By-line -Camera -Copyright -CreateDate -CreationDate -Creator -DateCreated -DateTimeOriginal -Description
	-Directory -Duration -ExposureTime -FileCreateDate -FileModifyDate -FileName -FileSize -FileType -FileTypeExtension -Flash -FNumber -FocalLength -GPSAltitude -GPSDateTime
	-GPSLatitude -GPSLongitude -GPSPosition -ImageDescription -ImageHeight -ImageSize -ImageWidth -ISO -Keywords -Lens -LensModel -Make -MIMEType -Model -ModifyDate -OffsetTimeOriginal
	-Orientation -PageCount -Producer -Rating -Software -Subject -SubSecDateTimeOriginal -Title -TrackCreateDate -MediaCreateDate -XResolution -YResolution`)

// exiftool allows to print tags by name: everything that is not a tag is an option,
// and -if, -p, -w, -o, -@ and -config run and write.
func exiftool(_ *checker, args []word) bool {
	g, ok := exiftoolOptions.sort(args)
	return ok && !slices.ContainsFunc(g.operands, func(w word) bool {
		return !w.operand() || strings.HasSuffix(w.text, "|") // older versions take it for a command
	})
}
