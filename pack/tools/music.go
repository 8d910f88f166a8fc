package tools

import (
	"strconv"
	"time"
)

// MaxScoreSize bounds scores and instruments, in bytes.
const MaxScoreSize = 16 << 20

var musicOperations = []Operation{
	{
		Name: "csound.perform", Min: 1, Max: 100, Out: OutEach, Accepts: []string{"csd"}, Programs: []string{ToolCsound},
		params: func() Params { return &CsoundPerform{} },
		work:   work{each: 30 * time.Minute, most: 30 * time.Minute, extra: 4 << 30},
	},
	{
		Name: "lilypond.render", Min: 1, Max: 1, Out: OutFolder, Accepts: []string{"ly"}, Programs: []string{ToolLilyPond, ToolQPDF},
		params: func() Params { return &LilyPondRender{} },
		work:   work{each: 15 * time.Minute, most: 15 * time.Minute, memory: memoryPlenty},
	},
}

// CsoundPerform are the parameters of csound.perform: a CSD file becomes sound.
// What it says of files and devices does not count.
type CsoundPerform struct {
	To   string `json:"to" schema:"default=wav,enum=wav|flac,byName=true"`
	Rate int    `json:"rate" schema:"default=48000,min=8000,max=192000"` // Hz
	Each
}

// Csound performs a CSD. Options in the file are ignored, the seed of random
// numbers is fixed, and no time is written. in and out are scratch names.
func Csound(p *CsoundPerform, in, out string) []string {
	return []string{
		"csound", "--nodisplays", "--messagelevel=0", "-+ignore_csopts=1", "--sample-rate=" + strconv.Itoa(p.Rate),
		"--format=" + p.To + ":short", "--nopeaks", "--output=" + out, in,
	}
}

// LilyPondRender are the parameters of lilypond.render: a score becomes a PDF,
// pictures and MIDI, as far as it asks for them.
type LilyPondRender struct {
	Outputs []string `json:"outputs" schema:"maxItems=4,enum=pdf|svg|png|midi"` // empty is pdf and midi
	DPI     int      `json:"dpi" schema:"default=150,min=50,max=600"`
	Replace bool     `json:"replace" schema:"default=false"`
}

// Check implements Params.
func (p *LilyPondRender) Check() error { return nil }

// LilyPond renders a score in one format (pdf, svg or png; MIDI comes by
// itself). in is a scratch name, out one without its suffix.
func LilyPond(p *LilyPondRender, format, in, out string) []string {
	argv := []string{"lilypond", "--silent", "--loglevel=ERROR", "-dno-point-and-click", "-dmidi-extension=midi", "--output=" + out}
	if format == "png" {
		argv = append(argv, "-dresolution="+strconv.Itoa(p.DPI))
	}
	return append(argv, "--formats="+format, in)
}
