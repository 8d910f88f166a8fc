package command

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"piwork/pack/lazyregexp"
)

// judge looks at the arguments of a program. It returns true when all that the
// program does with them is noted; reading is not.
type judge func(c *checker, args []word) bool

// free are programs that read and print, whatever their arguments are: none of
// their options writes a file, runs a program or reaches another computer. An option
// of a new version that did would be a reason to take the program out.
const free = `
	: true false echo pwd cd pushd popd dirs sleep exit return break continue type help
	cat tac head tail nl wc cut paste join tr fold fmt expand unexpand comm cmp diff rev od hexdump column yes seq
	base64 base32 basenc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum
	ls dir vdir stat du df realpath readlink basename dirname pathchk which
	grep egrep fgrep jq factor expr numfmt bc cal ncal tsort
	id whoami groups who w users uname arch nproc uptime free lscpu lsblk tty ps pgrep printenv locale
	pdfinfo pdffonts`

// table has programs some of whose options do more, with those that do not.
var table = map[string]string{
	"sort": `-b -d -f -g -h -i -M -n -R -r -V -c -C -m -s -u -z -k: -t: -S: --key= --field-separator= --numeric-sort --general-numeric-sort
		--human-numeric-sort --version-sort --reverse --unique --ignore-case --zero-terminated --stable --check? --sort=`,
	"file":    `-b -i -k -L -h -N -0 -r -F: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going --extension`,
	"tree":    `-a -d -f -i -s -h -p -u -g -D -t -r -c -U -S -n -C -A -x -l -F -N -Q -q -J -X -L: -P: -I: --dirsfirst --noreport --du --charset= --filelimit= --prune --si --sort?`,
	"date":    `-u -R -I -d: -r: --utc --date= --reference= --iso-8601? --rfc-3339= --rfc-email`,
	"shuf":    `-e -z -r -n: -i: --echo --head-count= --input-range= --repeat --random-source=`,
	"strings": `-a -f -o -w -n: -t: -e: -# --all --bytes= --radix= --encoding=`,
	"iconv":   `-c -l -f: -t: --from-code= --to-code= --list`,
	"zcat":    ``, "bzcat": ``, "xzcat": ``, "zstdcat": ``,
	"top":       `-b -n:`,
	"hostname":  `-f -s -i -I --fqdn --short`,
	"mediainfo": `-f --Full`,
	"rg": `-i -s -S -n -N -H -I -l -c -o -v -w -x -F -P -U -a -L -u -0 -q -p -h -g: -t: -T: -e: -f: -A: -B: -C: -m: -r: -M: -j: -d: -E:
		--files --hidden --no-ignore --no-ignore-vcs --ignore-case --smart-case --case-sensitive --fixed-strings --line-number --no-line-number --no-heading --heading
		--files-with-matches --files-without-match --count --count-matches --only-matching --invert-match --word-regexp --multiline --multiline-dotall --json --stats --trim
		--glob= --iglob= --type= --type-not= --type-list --regexp= --context= --after-context= --before-context= --max-count= --max-depth= --max-columns= --sort= --sortr= --color= --pcre2 --text --null --vimgrep`,
	"fd":        `-H -I -u -s -i -F -g -a -l -L -p -0 -1 -t: -e: -E: -d: -S: -c: --hidden --no-ignore --glob --fixed-strings --full-path --absolute-path --follow --type= --extension= --exclude= --max-depth= --min-depth= --max-results= --size= --changed-within= --changed-before= --print0 --list-details --color=`,
	"dpkg":      `-l -L -s -S --list --listfiles --status --search`,
	"xmllint":   `= --noout --format --nonet --recover --huge --noblanks --html --xpath= --pretty=`,
	"ffprobe":   `= -v: -loglevel: -hide_banner -show_format -show_streams -show_chapters -show_entries: -select_streams: -print_format: -of: -pretty -sexagesimal -unit -count_frames -count_packets -i:`,
	"gzip":      `-c -d -k -l -t -q -v --stdout --to-stdout --decompress --keep --list --test`,
	"xxd":       `-a -b -e -i -p -u -ps -plain -c: -g: -l: -s: -o:`,
	"uniq":      `-c -d -D -i -u -z -f: -s: -w: --count --repeated --all-repeated? --unique --ignore-case --skip-fields= --skip-chars= --check-chars= --zero-terminated`,
	"zipinfo":   `-1 -2 -s -m -l -v -h -t -z -T -C`,
	"unzip":     `-l -v -t -p -Z -q -C`,
	"cp":        `-p -v -n -f --verbose --no-clobber --force`,
	"tee":       `-a -i --append`,
	"touch":     ``,
	"rm":        `-r -R -f -v -d --recursive --force --verbose --dir`,
	"pdftotext": `= -layout -raw -table -lineprinter -nopgbrk -htmlmeta -bbox -bbox-layout -tsv -q -f: -l: -r: -x: -y: -W: -H: -enc: -eol: -fixed: -opw: -upw:`,
	"pdftoppm":  `= -png -jpeg -tiff -gray -mono -singlefile -cropbox -q -f: -l: -r: -rx: -ry: -x: -y: -W: -H: -scale-to: -scale-to-x: -scale-to-y: -opw: -upw:`,
	"pdfimages": `= -list -f: -l: -opw: -upw:`,
	"tesseract": `= -l: --psm= --oem= --dpi=`,
	"pandoc":    `-s -f: -t: -r: -w: --from= --to= --read= --write= --wrap= --columns= --standalone --toc --markdown-headings=`,
	"qpdf":      `--check --show-npages --show-encryption --is-encrypted`,
	"sqlite3":   `= -readonly -header -noheader -csv -json -column -line -list -box -table -markdown -tabs -quote -batch -bail -separator: -nullvalue:`,
}

// checks are further conditions for programs of the table.
var checks = map[string]func(c *checker, g given) bool{
	"xxd":       single,
	"uniq":      single,
	"ffprobe":   func(_ *checker, g given) bool { return files(append(g.values("-i"), g.operands...)) },
	"mediainfo": func(_ *checker, g given) bool { return files(g.operands) },
	"xmllint":   func(_ *checker, g given) bool { return files(g.operands) },
	"hostname":  func(_ *checker, g given) bool { return len(g.operands) == 0 },
	"top":       func(_ *checker, g given) bool { return len(g.operands) == 0 && g.has("-b") },
	"date": func(_ *checker, g given) bool { // of another operand it is set
		return !slices.ContainsFunc(g.operands, func(w word) bool { return !strings.HasPrefix(w.text, "+") })
	},
	"dpkg": func(_ *checker, g given) bool { return len(g.options) == 1 },
	"gzip": func(_ *checker, g given) bool {
		return g.has("-c", "-l", "-t", "--stdout", "--to-stdout", "--list", "--test")
	},
	"unzip": func(_ *checker, g given) bool { return g.has("-l", "-v", "-t", "-p", "-Z") },
	"tee":   ownOutputs,
	"touch": ownOutputs,
	"rm":    ownRemoved,
	"cp": func(c *checker, g given) bool { // it makes no links: it copies what they lead to
		if len(g.operands) < 2 {
			return false
		}
		to := g.operands[len(g.operands)-1]
		if to.known && slices.Contains(scratch, strings.TrimSuffix(to.text, "/")) { // a file in it
			c.note(Write)
			return true
		}
		return own(c, to)
	},
	"pdftotext": func(c *checker, g given) bool {
		return !g.many && len(g.operands) == 2 && (g.operands[1].known && g.operands[1].text == "-" || own(c, g.operands[1]))
	},
	"pdftoppm":  func(c *checker, g given) bool { return !g.many && len(g.operands) == 2 && own(c, g.operands[1]) },
	"pdfimages": func(_ *checker, g given) bool { return !g.many && len(g.operands) == 1 && g.has("-list") },
	"tesseract": func(_ *checker, g given) bool { // a third operand is a configuration
		return !g.many && len(g.operands) == 2 && g.operands[0].file() && g.operands[1].known && (g.operands[1].text == "stdout" || g.operands[1].text == "-")
	},
	"pandoc": pandoc,
	"qpdf": func(_ *checker, g given) bool {
		return !g.many && len(g.operands) == 1 && len(g.options) == 1 && files(g.operands)
	},
	"sqlite3": sqlite,
}

// single allows one operand: the second is written to.
func single(_ *checker, g given) bool { return !g.many && len(g.operands) < 2 }

func files(list []word) bool {
	return !slices.ContainsFunc(list, func(w word) bool { return !w.file() })
}

// own notes the effect Write for a file in the task's own places, and returns false for
// every other file. A link in these places may lead out of them: then the share's guards
// ask, as they do for pi's write tool.
func own(c *checker, w word) bool {
	if !c.isScratch(w) {
		return false
	}
	c.note(Write)
	return true
}

func ownOutputs(c *checker, g given) bool {
	for _, w := range g.operands {
		if !(w.known && w.text == "/dev/null") && !own(c, w) {
			return false
		}
	}
	return true
}

// ownRemoved allows what lies directly in the task's own places: there is no link
// on the way.
func ownRemoved(c *checker, g given) bool {
	for _, w := range g.operands {
		if len(c.scratchPath(w)) != 1 || w.text[0] != '/' || strings.HasPrefix(w.text, "/state/") {
			return false
		}
	}
	c.note(Write)
	return len(g.operands) > 0
}

// Formats of pandoc by name: another is a file with a program. To those that hold
// pictures it would fetch them from where a document says.
var (
	readFormat  = lazyregexp.New(`^[a-z0-9_]+([+-][a-z0-9_]+)*$`)
	writeFormat = lazyregexp.New(`^(plain|markdown(_[a-z]+)?|gfm|commonmark(_x)?|html[45]?|rst|asciidoc|latex|json|native|org|textile|mediawiki)([+-][a-z0-9_]+)*$`)
)

func pandoc(_ *checker, g given) bool {
	not := func(format func() *regexp.Regexp) func(word) bool {
		return func(w word) bool { return !w.known || !format().MatchString(w.text) }
	}
	return !slices.ContainsFunc(g.values("-f", "-r", "--from", "--read"), not(readFormat)) &&
		!slices.ContainsFunc(g.values("-t", "-w", "--to", "--write"), not(writeFormat)) && files(g.operands)
}

// sqlite allows queries of a database that is opened to be read. Its functions that
// write files and load code have these words in their names.
func sqlite(_ *checker, g given) bool {
	if g.many || len(g.operands) != 2 || !g.has("-readonly") || !g.operands[1].known || !g.operands[0].operand() {
		return false
	}
	query := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(g.operands[1].text)), ";")
	for _, w := range []string{";", "writefile", "edit", "load_extension", "zipfile", "fts3_tokenizer", "sqlar", "\n."} {
		if strings.Contains(query, w) {
			return false
		}
	}
	return query == ".tables" || query == ".schema" || strings.HasPrefix(query, "select ")
}

// versioned are programs that may be asked for their version, and nothing else.
const versioned = `python python2 python3 node perl ruby php java go gcc bash pip pip3 convert magick ffmpeg pandoc libreoffice
	soffice tesseract qpdf exiftool identify unzip zip tar git sqlite3 curl wget rsync make docker`

// programs are all that are known, by name.
var programs map[string]judge

func init() { // some of them start others
	programs = allPrograms()
}

func allPrograms() map[string]judge {
	all := map[string]judge{
		"printf": printf, "test": test, "[": bracket, "read": read, "set": set, "shopt": shopt, "wait": none, "mkdir": makes, "mktemp": makes,
		"kill": processes, "pkill": processes, "killall": processes,
		"find": find, "xargs": xargs, "timeout": timeout, "nice": nice, "env": env, "command": commandWord, "stdbuf": stdbuf, "bash": bash,
		"sed": sed, "awk": awk, "gawk": awk, "mawk": awk, "nawk": awk, "git": git, "tar": tar, "7z": sevenZip, "exiftool": exiftool,
	}
	for _, name := range strings.Fields(free) {
		all[name] = func(*checker, []word) bool { return true }
	}
	for name, list := range table {
		o, check := optionsOf(list), checks[name]
		all[name] = func(c *checker, args []word) bool {
			g, ok := o.sort(args)
			return ok && (check == nil || check(c, g))
		}
	}
	all["fdfind"] = all["fd"]
	for _, name := range strings.Fields(versioned) {
		other := all[name]
		all[name] = func(c *checker, args []word) bool {
			if len(args) == 1 && args[0].known && (args[0].text == "--version" || args[0].text == "-V" && strings.HasPrefix(name, "python")) {
				return true
			}
			return other != nil && other(c, args)
		}
	}
	return all
}

// command looks at a program with its arguments.
func (c *checker) command(words []word) {
	name := strings.TrimPrefix(strings.TrimPrefix(words[0].text, "/usr"), "/bin/")
	if !words[0].known || strings.HasPrefix(words[0].text, "/usr") && !strings.HasPrefix(words[0].text, "/usr/bin/") || strings.Contains(name, "/") {
		c.unknown()
		return
	}
	if name == "cd" || name == "pushd" || name == "popd" {
		c.moved = true
	}
	before := maps.Clone(c.effects)
	if does, ok := programs[name]; ok && c.depth <= maxDepth {
		c.depth++
		harmless := does(c, words[1:])
		c.depth--
		if harmless {
			return
		}
	}
	for e := range c.effects {
		if e == Write && !before[e] { // of what is refused as a whole
			delete(c.effects, e)
		}
	}
	c.refused(name, words[1:])
}
