//go:build vm && linux

package image_test

// addOnWork is what shows that an add-on works: scripts, and the lines that each
// prints, or how they begin. They run as the guest's user, offline.
var addOnWork = map[string][]struct {
	name, script string
	want         []string
}{
	"media": {
		{"sound", `f() { ffmpeg -hide_banner -loglevel error "$@"; }
			f -f lavfi -i sine=frequency=440:duration=2:sample_rate=48000 in.wav && f -i in.wav t.opus && f -i in.wav t.mp3 &&
			f -i t.opus opus.wav && f -i t.mp3 mp3.wav &&
			for t in t.opus t.mp3; do ffprobe -v error -show_entries stream=codec_name -of csv=p=0 $t; done &&
			for t in in opus mp3; do ` + tone + ` $t.wav; done`,
			[]string{"opus\nmp3\n2.0 s of 440 Hz\n2.0 s of 440 Hz\n2.0 s of 440 Hz"}},
		{"film", `ffmpeg -hide_banner -loglevel error -f lavfi -i testsrc=duration=1:size=64x48:rate=5 -c:v libx264 t.mp4 &&
			ffprobe -v error -show_entries stream=codec_name,width -of csv=p=0 t.mp4`,
			[]string{"h264,64"}},
	},
	"music": {
		{"notes", `printf '\\score { \\new Staff { c4 d e f } \\layout {} \\midi {} }' > t.ly && lilypond -s --pdf -o t t.ly &&
			head -c 5 t.pdf && echo && pdffonts t.pdf | grep -o 'Emmentaler' | head -n 1 && head -c 4 t.midi && echo`,
			[]string{"%PDF-", "Emmentaler", "MThd"}},
		{"sound", `printf '<CsoundSynthesizer>\n<CsInstruments>\nsr=44100\nksmps=10\nnchnls=1\n0dbfs=1\ninstr 1\nout oscili(0.5, 440)\nendin\n</CsInstruments>\n<CsScore>\ni1 0 1\n</CsScore>\n</CsoundSynthesizer>\n' > t.csd &&
			{ csound -d -W -o t.wav t.csd >log 2>&1 || cat log; } && ` + tone + ` t.wav`,
			[]string{"1.0 s of 440 Hz"}},
	},
	"office": {
		{"text to PDF", `printf '# Title\n\nText with *words*.\n' > t.md && { pandoc t.md -s -M title=T --pdf-engine=weasyprint -o t.pdf >log 2>&1 || cat log; } && pdftotext t.pdf -`,
			[]string{"Title", "Text with words."}},
		// One start for all kinds: the first one takes longest.
		{"documents to PDF", `printf '# Title\n\nText with *words*.\n' > t.md && pandoc t.md -o word.docx && pandoc t.md -o open.odt && pandoc t.md -o slides.pptx &&
			python3 -c 'import openpyxl; b = openpyxl.Workbook(); b.active["A1"] = 6; b.active["A2"] = "=A1*7"; b.save("table.xlsx")' &&
			{ soffice --headless --convert-to pdf --outdir out word.docx open.odt slides.pptx table.xlsx >log 2>&1 || cat log; } &&
			for f in word open slides table; do echo "$f:" $(pdftotext out/$f.pdf -); done`,
			[]string{"word: Title Text with words.", "open: Title Text with words.", "slides: Title Text with words.", "table: 6 42"}},
		{"back to text", `printf 'Name,Sum\nAnna,42\n' > t.csv && { soffice --headless --convert-to xlsx t.csv >log 2>&1 && soffice --headless --convert-to csv --outdir out t.xlsx >log 2>&1 || cat log; } &&
			cat out/t.csv`,
			[]string{"Name,Sum\nAnna,42"}},
	},
	"browser": {
		{"page to PDF", page + `{ chromium-headless-shell --print-to-pdf=t.pdf --no-pdf-header-footer "file://$PWD/t.html" >log 2>&1 || cat log; } &&
			pdftotext t.pdf - | tr -d '\f' && pdfinfo t.pdf | awk '/^Pages:/ {print $1, $2}' && pdffonts t.pdf | grep -o 'Liberation[A-Za-z]*' | head -n 1`,
			[]string{"the answer is 42", "Pages: 1", "LiberationSans"}},
		{"page to a picture", page + `{ chromium-headless-shell --screenshot=t.png --window-size=320,200 "file://$PWD/t.html" >log 2>&1 || cat log; } &&
			magick identify -format '%wx%h\n' t.png`,
			[]string{"320x200"}},
		// A page's process is filtered, as every program in the guest; there are no
		// namespaces for walls of its own.
		{"walls", `printf '<script>for (const end = Date.now() + 15000; Date.now() < end;);</script>' > t.html
			chromium-headless-shell --dump-dom "file://$PWD/t.html" >log 2>&1 & browser=$!
			while kill -0 $browser 2>/dev/null; do
				for p in /proc/[0-9]*; do
					tr '\0' ' ' < $p/cmdline 2>/dev/null | grep -q '^/usr/lib/chromium.*--type=renderer' && awk '/^NSpid:/ {n = NF - 1} /^Seccomp:/ {f = $2} END {print (n > 1 ? "own" : "the same"), "namespace,", (f == 2 ? "filtered" : "not filtered")}' $p/status && break 2
				done
				sleep 0.2
			done; kill $browser; wait $browser 2>/dev/null; true`,
			[]string{"the same namespace, filtered"}},
	},
}

// page writes t.html, whose text a script has to make.
const page = `printf '<!DOCTYPE html><body style="font-family: Arial"><p id=a></p><script>a.textContent = "the answer is " + 6 * 7</script>' > t.html && `

// tone says of a file of sound how long it is and how high, by counting waves.
const tone = `python3 -c '
import array, sys, wave
w = wave.open(sys.argv[1])
a, rate = array.array("h", w.readframes(w.getnframes())), w.getframerate()
print(round(len(a) / rate, 1), "s of", int(round(sum(x < 0 <= y for x, y in zip(a, a[1:])) * rate / len(a), -1)), "Hz")'`
