//go:build vm && linux

package image_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"piwork/pack/guest/guestvm"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

var updateOperations = flag.Bool("update", false, "write what operations of add-ons make into testdata")

// addOnOperation is a call of an operation that needs an add-on, whose result is
// kept: the same inputs give the same bytes with the programs of the same lock.
type addOnOperation struct {
	op     string
	in     string // names below /work/in, or absolute ones, with spaces between them
	out    string // below /work/out; "" only reports
	params map[string]any
}

// addOnInputs are scripts that make what the operations of an add-on work on, in
// /work/in.
var addOnInputs = map[string]string{
	"media": `python3 -c '
import math, struct, wave
w = wave.open("tone.wav", "wb"); w.setnchannels(2); w.setsampwidth(2); w.setframerate(44100)
w.writeframes(b"".join(struct.pack("<hh", int(9000*math.sin(i/16)), int(5000*math.sin(i/50))) for i in range(22050))); w.close()
open("tone.amr", "wb").write(b"#!AMR\n" + (b"\x04" + bytes(12)) * 25)' &&
	f() { ffmpeg -hide_banner -loglevel error -i tone.wav -fflags +bitexact -flags:a +bitexact "$@"; } && # no serial numbers at random
	for s in mp3 m4a aac flac ogg opus aiff wma mp4 mov mkv caf; do f tone.$s; done && f -c:a aac tone.3gp && f -c:a libopus tone.webm`,
	"music": `cat > tone.csd <<'END'
<CsoundSynthesizer>
<CsInstruments>
sr=44100
ksmps=10
nchnls=1
0dbfs=1
instr 1
a1 oscili 0.3, 440
a2 rand 0.1
out a1+a2
endin
</CsInstruments>
<CsScore>
i1 0 0.5
</CsScore>
</CsoundSynthesizer>
END
printf '\\header { title = "Tür" }\n\\score { \\new Staff { c4 d e f } \\layout { } \\midi { } }\n' > tune.ly`,
	"office": `printf '# Title\n\nText with *words*, ü.\n\n- a\n- b\n' > a.md
printf '<html><body><h1>Title</h1><p>Words, &uuml;<table><tr><td>1<td>2</table></body></html>' > b.html
printf '{\\rtf1\\ansi K\\u246?ln\\par}' > c.rtf
printf 'plain\ntext\n' > d.txt
printf '{\\rtf1\\ansi An old document\\par}' > e.rtf && soffice --headless --convert-to doc e.rtf >log 2>&1; test -s e.doc || cat log; rm -f log e.rtf`,
}

// everySound is a file of each kind that operations on sound take.
const everySound = "tone.wav tone.mp3 tone.m4a tone.aac tone.flac tone.ogg tone.opus tone.aiff tone.wma tone.amr tone.3gp tone.mp4 tone.mov tone.mkv tone.webm tone.caf"

// addOnOperations are in an order in which one can use what another made.
var addOnOperations = map[string][]addOnOperation{
	"media": {
		{op: "audio.info", in: everySound},
		{op: "audio.transcode", in: everySound, out: "every", params: map[string]any{"to": "mp3", "quality": "speech"}},
		{op: "audio.transcode", in: "tone.wav", out: "tone.mp3", params: map[string]any{"to": "mp3", "quality": "speech", "mono": true}},
		{op: "audio.transcode", in: "tone.wav", out: "tone.m4a", params: map[string]any{"to": "m4a"}},
		{op: "audio.transcode", in: "tone.wav", out: "tone.opus", params: map[string]any{"to": "opus"}},
		{op: "audio.transcode", in: "tone.wav", out: "tone.ogg", params: map[string]any{"to": "ogg"}},
		{op: "audio.transcode", in: "tone.wav", out: "tone.flac", params: map[string]any{"to": "flac", "level": true}},
		{op: "audio.transcode", in: "/work/out/tone.mp3", out: "again.wav", params: map[string]any{"to": "wav"}},
	},
	"music": {
		{op: "csound.perform", in: "tone.csd", out: "tone.wav"},
		{op: "csound.perform", in: "tone.csd", out: "tone.flac", params: map[string]any{"to": "flac", "rate": 22050}},
		{op: "lilypond.render", in: "tune.ly", out: "tune", params: map[string]any{"outputs": []string{"pdf", "midi"}}},
		{op: "lilypond.render", in: "tune.ly", out: "drawn", params: map[string]any{"outputs": []string{"svg", "png"}, "dpi": 72}},
	},
	"office": {
		{op: "text.convert", in: "a.md", out: "a.docx", params: map[string]any{"to": "docx"}},
		{op: "text.convert", in: "a.md", out: "a.pdf", params: map[string]any{"to": "pdf"}},
		{op: "text.convert", in: "b.html", out: "b.pdf", params: map[string]any{"to": "pdf"}},
		{op: "text.convert", in: "b.html", out: "b.txt", params: map[string]any{"to": "txt"}},
		{op: "text.convert", in: "c.rtf", out: "c.html", params: map[string]any{"to": "html"}},
		{op: "text.convert", in: "d.txt", out: "d.pdf", params: map[string]any{"to": "pdf"}},
		{op: "text.convert", in: "/work/out/a.docx", out: "word.pdf", params: map[string]any{"to": "pdf"}},
		{op: "text.convert", in: "a.md", out: "a.odt", params: map[string]any{"to": "odt"}},
		{op: "text.convert", in: "/work/out/a.odt", out: "open.md", params: map[string]any{"to": "md"}},
		{op: "text.convert", in: "b.html", out: "b.rtf", params: map[string]any{"to": "rtf"}},
		{op: "text.convert", in: "e.doc", out: "old.txt", params: map[string]any{"to": "txt"}},
	},
}

// addOnResults are scripts that look at what the rows made, in /work/out, and lines
// that each prints, or how they begin: equal bytes may be equally wrong.
var addOnResults = map[string]struct {
	script string
	want   []string
}{
	"media": {`for f in tone.mp3 tone.m4a tone.opus tone.ogg tone.flac again.wav; do
		echo $f: $(ffprobe -v error -show_entries stream=codec_name,channels:format=duration -of csv=p=0 $f); done; echo $(ls every | wc -l) of every kind`,
		[]string{"tone.mp3: mp3,1 0.5", "tone.m4a: aac,2 0.5", "tone.opus: opus,2 0.5", "tone.ogg: vorbis,2 0.5", "tone.flac: flac,2 0.5", "again.wav: pcm_s16le,1 0.5", "16 of every kind"}},
	"music": {`python3 -c 'import wave; w = wave.open("tone.wav"); print(w.getnchannels(), w.getframerate(), w.getnframes())'; head -c 4 tone.flac; echo
		pdftotext tune/tune.pdf - | grep -o Tür; head -c 4 tune/tune.midi; echo; magick identify -format '%m %w\n' drawn/tune.png; grep -o '<svg' drawn/tune.svg`,
		[]string{"1 48000 24000", "fLaC", "Tür", "MThd", "PNG ", "<svg"}},
	"office": {`for f in a b d word; do echo $f.pdf: $(pdftotext $f.pdf -); done; for f in b.txt old.txt c.html open.md; do echo $f: $(cat $f); done
		echo a.docx: $(pandoc -t plain a.docx); echo b.rtf: $(pandoc -t plain b.rtf)
		echo titles: $(grep -o '<title>.*</title>' c.html) $(pdfinfo a.pdf | grep ^Title)`,
		[]string{"a.pdf: Title Text with words, ü.", "b.pdf: Title Words, ü", "d.pdf: plain text", "word.pdf: Title Text with words, ü.", "b.txt: Title Words, ü", "old.txt: An old document",
			"c.html: ", "open.md: # Title Text with *words*, ü.", "a.docx: Title Text with words, ü.", "b.rtf: Title Words, ü", "titles: <title>c</title> Title: a"}},
}

// operateAddOn runs every operation of an add-on twice on real files, compares what
// it made with testdata, which another machine wrote with -update, and offers the
// operations what they must not take.
func operateAddOn(t *testing.T, m *guestvm.Machine, addOn string) {
	if addOnInputs[addOn] == "" {
		return // it has programs and no operations
	}
	g := guest{m}
	g.run("inputs of operations", "mkdir -p /work/in /work/out && cd /work/in && "+addOnInputs[addOn]+"\nfind . -exec touch -d 2024-05-06T07:08:09Z {} +")
	golden := filepath.Join("testdata", "operations-"+addOn+".json")
	var want map[string]map[string]string
	if b, err := os.ReadFile(golden); err == nil {
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatal(err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	got, done := map[string]map[string]string{}, map[string]bool{}
	for _, o := range addOnOperations[addOn] {
		if slowPrograms[o.op] && !allOfAddOns() {
			done[o.op] = true
			continue
		}
		name := strings.TrimSpace(o.op + " " + o.out)
		t.Run(name, func(t *testing.T) {
			first := o.run(t, m, "")
			if again := o.run(t, m, "again-"); !maps.Equal(first, again) {
				t.Errorf("the same input gave %v\nand then %v", first, again)
			}
			if !*updateOperations && want != nil && !maps.Equal(first, want[name]) {
				t.Errorf("made %v\nwant %v", first, want[name])
			}
			got[name], done[o.op] = first, true
		})
	}
	for _, d := range tools.Catalogue() {
		if strings.Join(d.AddOns, ",") == addOn && !done[d.Name] {
			t.Errorf("%s is not run", d.Name)
		}
	}
	if *updateOperations {
		b, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if allOfAddOns() { // it looks into the results of all rows
		results := addOnResults[addOn]
		out := g.run("results of operations", "cd /work/out\n"+results.script)
		for _, line := range results.want {
			if !strings.Contains(out, "\n"+line) {
				t.Errorf("no line that starts with %q in %s", line, out)
			}
		}
	}
	picture, err := os.ReadFile("../tools/picture/testdata/progressive.jpg")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("hostile", func(t *testing.T) { guestvm.OfferHostile(t, m, addOn, picture, allOfAddOns()) })
}

// run carries an operation out and returns what it made: SHA-256 by name, or what
// it reports.
func (o addOnOperation) run(t *testing.T, m *guestvm.Machine, prefix string) map[string]string {
	t.Helper()
	p := wire.ToolParams{Op: o.op, Params: o.params}
	for in := range strings.FieldsSeq(o.in) {
		if !strings.HasPrefix(in, "/") {
			in = "/work/in/" + in
		}
		p.In = append(p.In, in)
	}
	if o.out != "" {
		p.Out = "/work/out/" + prefix + o.out
	}
	r := guestvm.Tool(m, p)
	t.Logf("%d ms", r.WallMS)
	if len(r.Problems) != 0 || len(r.Out)+len(r.Info) == 0 {
		t.Errorf("problems %v, made %v", r.Problems, r.Out)
	}
	made := map[string]string{}
	for _, f := range r.Out {
		made[strings.TrimPrefix(strings.TrimPrefix(f.Path, "/work/out/"), prefix)] = f.SHA256
	}
	if o.out == "" {
		b, err := json.Marshal(r.Info)
		if err != nil {
			t.Fatal(err)
		}
		made["info"] = string(b)
	}
	return made
}

// TestAddOnClaimsAreAllPlayed: every format that operations of add-ons say they take
// or make is in a row.
func TestAddOnClaimsAreAllPlayed(t *testing.T) {
	var calls []guestvm.Played
	for _, rows := range addOnOperations {
		for _, o := range rows {
			calls = append(calls, guestvm.Played{Op: o.op, In: strings.Fields(o.in), Params: o.params})
		}
	}
	for _, d := range tools.Catalogue() {
		if missing := guestvm.Unplayed(d, calls); len(d.AddOns) > 0 && len(missing) > 0 {
			t.Errorf("%s: no row shows that it %s", d.Name, strings.Join(missing, ", "))
		}
	}
}
