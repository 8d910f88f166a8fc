package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"piwork/pack/guest/operate"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// toolsBench measures the operations of the base pack in a machine that was
// restored, beside the same operations on this computer itself; what comes on top of
// a program; many small pictures; and the API's health while operations run.
func toolsBench(ctx context.Context, e env, runs int) (rows []row, err error) {
	w, err := newWorkshop(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := toolFiles(w.folder, e.pictures); err != nil {
		return nil, err
	}
	said := &guestLog{}
	w.log = slog.New(slog.NewTextHandler(said, nil))
	r, _, err := w.openAs(ctx, asTasks)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.end(ctx)) }()
	b := &toolRoom{room: r, w: w, said: said, folder: w.folder, native: filepath.Join(e.dir, "native"), pack: w.m.dir, version: e.version}
	groups := []struct {
		name    string
		measure func(context.Context, string, int) ([]row, error)
	}{
		{"tools/first/resize", b.first(resizing)},
		{"tools/first/hash", b.first(toolCase{op: "file.hash", in: []string{table}})},
		{"tools/overhead/resize", b.overhead},
		{"tools/overhead-port/resize", b.overheadPort},
		{"tools/many/throughput", func(ctx context.Context, name string, n int) ([]row, error) { return b.many(ctx, name, n, e.pictures) }},
		{"tools/health/p99", b.health},
	}
	for _, g := range groups {
		if !e.wants(g.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, g.name)
		more, err := g.measure(ctx, g.name, runs)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", g.name, err)
		}
		rows = append(rows, more...)
	}
	ops, err := b.operations(ctx, e, runs)
	return append(rows, ops...), err
}

// toolRoom is a machine in which operations are measured.
type toolRoom struct {
	*room
	w       *workshop
	said    *guestLog
	folder  string // of the inputs, on this computer
	native  string // where this computer's own results go
	pack    string // the installed pack
	version string // of piwork
	path    string // of the pack's programs on this computer; "" are its own
	n       int
}

// toolCase is one operation with something to do.
type toolCase struct {
	op     string
	in     []string // names in the folder
	out    string   // a name; "" for one that reports
	params map[string]any
}

// toolCases are the operations that are measured; what they work on is made by
// toolFiles.
var toolCases = []toolCase{
	{op: "image.info", in: []string{photo}},
	{op: "image.resize", in: []string{photo}, out: "r.png", params: resizeParams},
	{op: "image.convert", in: []string{photo}, out: "c.webp", params: map[string]any{"format": tools.FormatWebP}},
	{op: "image.convert", in: []string{photo}, out: "c.pdf", params: map[string]any{"format": tools.FormatPDF}},
	{op: "pdf.info", in: []string{document}},
	{op: "pdf.merge", in: []string{document, document2}, out: "m.pdf"},
	{op: "pdf.split", in: []string{document}, out: "split"},
	{op: "pdf.rotate", in: []string{document}, out: "rot.pdf", params: map[string]any{"angle": 90}},
	{op: "pdf.compress", in: []string{document}, out: "s.pdf"},
	{op: "pdf.text", in: []string{document}, out: "t.txt"},
	{op: "pdf.images", in: []string{document}, out: "images"},
	{op: "pdf.ocr", in: []string{scan}, out: "o.pdf"},
	{op: "metadata.read", in: []string{photo}},
	{op: "metadata.strip", in: []string{photo}, out: "bare.jpg"},
	{op: "plist.convert", in: []string{plist}, out: "p.plist", params: map[string]any{"to": "binary"}},
	{op: "archive.create", in: []string{photo, table}, out: "a.zip"},
	{op: "archive.list", in: []string{archive}},
	{op: "archive.info", in: []string{archive}},
	{op: "archive.extract", in: []string{archive}, out: "unpacked"},
	{op: "table.read", in: []string{table}},
	{op: "table.convert", in: []string{table}, out: "t.xlsx", params: map[string]any{"to": "xlsx"}},
	{op: "table.clean", in: []string{table}, out: "clean.csv", params: map[string]any{"to": "csv"}},
	{op: "file.hash", in: []string{photo}},
	{op: "file.duplicates", in: []string{"."}},
	{op: "file.report", in: []string{"."}, out: "report.html"},
}

// resizeParams make of a picture one for a screen.
var resizeParams = map[string]any{"width": 1024, "format": tools.FormatPNG}

// params are those of the tool.
func (b *toolRoom) params(c toolCase) wire.ToolParams {
	b.n++
	p := wire.ToolParams{ID: fmt.Sprint("t", b.n), Op: c.op, Params: c.params}
	for _, in := range c.in {
		p.In = append(p.In, filepath.Join(wire.FoldersDir, filepath.Base(b.folder), in))
	}
	if c.out != "" {
		p.Out = fmt.Sprintf("%s/%d-%s", wire.OutDir, b.n, c.out)
	}
	return p
}

// guest does an operation in the machine, and returns how long its caller waits.
func (b *toolRoom) guest(ctx context.Context, c toolCase) (time.Duration, error) {
	p := b.params(c)
	began := time.Now()
	seen, err := b.Execute(ctx, vmhost.Action{Tool: &p})
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	if len(seen.Tool.Problems) > 0 {
		return 0, fmt.Errorf("%s: %+v", c.op, seen.Tool.Problems)
	}
	if p.Out == "" {
		return took, nil
	}
	_, err = b.runIn(ctx, wire.WorkDir, "rm", "-rf", "--", p.Out)
	return took, err
}

// here does an operation on this computer, without a machine.
func (b *toolRoom) here(ctx context.Context, c toolCase) (time.Duration, error) {
	p := b.params(c)
	for i, in := range c.in {
		p.In[i] = filepath.Join(b.folder, in)
	}
	if p.Out != "" {
		p.Out = filepath.Join(b.native, filepath.Base(p.Out))
	}
	scratch := filepath.Join(b.native, "scratch")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return 0, err
	}
	defer os.RemoveAll(b.native)
	began := time.Now()
	r, err := operate.Run(ctx, operate.Order{Tool: p, Scratch: scratch}, operate.HostPrograms(scratch, cmp.Or(b.path, os.Getenv("PATH"))), func(operate.Event) {})
	took := time.Since(began)
	if err == nil && len(r.Problems) > 0 {
		err = fmt.Errorf("%s on this computer: %+v", c.op, r.Problems)
	}
	return took, err
}

// operations measures each operation beside the same one on this computer. One for
// which it has no programs has no row.
func (b *toolRoom) operations(ctx context.Context, e env, runs int) ([]row, error) {
	var rows []row
	prepared := false
	for _, c := range toolCases {
		name := "tools/" + c.op + "/wall"
		if format, ok := c.params["format"].(string); ok && c.op == "image.convert" {
			name = "tools/" + c.op + "-" + format + "/wall"
		}
		if !e.wants(name) {
			continue
		}
		if !prepared {
			var err error
			if b.path, err = nativePrograms(ctx, b.w.m.rootfs, filepath.Join(b.w.dir, "programs")); err != nil {
				return nil, err
			}
			prepared = true
		}
		fmt.Fprintln(os.Stderr, name)
		if _, err := b.guest(ctx, c); err != nil { // the first reads what it is made of
			return rows, err
		}
		if _, err := b.here(ctx, c); err != nil {
			fmt.Fprintf(os.Stderr, "  no row: %.200v\n", err)
			continue
		}
		op, _ := tools.Find(c.op)
		with := "piwork's own code"
		if len(op.Programs) > 0 {
			with = strings.Join(op.Programs, ", ")
			if b.path != "" {
				with += " of the pack, in bwrap"
			}
		}
		r, err := compare(runs, name, "the same operation on this computer, by "+with, func() (time.Duration, error) { return b.guest(ctx, c) }, func() (time.Duration, error) { return b.here(ctx, c) })
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// resizing is the picture of 1 MB that becomes one for a screen.
var resizing = toolCase{op: "image.resize", in: []string{photo}, out: "r.png", params: resizeParams}

// spent is how long an operation took.
type spent struct {
	whole    time.Duration // for its caller
	inside   time.Duration // from its start in the machine to its end
	programs time.Duration // of these, its programs; 0 where it has none
}

// over is what came on top of the programs.
func (s spent) over() time.Duration { return s.whole - s.programs }

// around does an operation in the machine, and returns how long it took.
func (b *toolRoom) around(ctx context.Context, c toolCase) (s spent, err error) {
	b.said.take()
	if s.whole, err = b.guest(ctx, c); err != nil {
		return s, err
	}
	s.inside, s.programs, err = b.said.ended()
	if op, _ := tools.Find(c.op); len(op.Programs) == 0 {
		s.programs = 0
	}
	return s, err
}

// breather is how long a machine is left alone before what a person does who did
// something else meanwhile.
const breather = time.Second

// overhead is what comes on top of the program in a machine that is warm and had
// nothing to do.
func (b *toolRoom) overhead(ctx context.Context, name string, runs int) ([]row, error) {
	var over, alone []time.Duration
	for i := range runs + 1 {
		select {
		case <-time.After(breather):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		s, err := b.around(ctx, resizing)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "  %v: the program %v, around it in the machine %v, between there and here %v\n", s.whole.Round(time.Millisecond), s.programs,
			s.inside-s.programs, (s.whole - s.inside).Round(time.Millisecond))
		if i > 0 { // the first only warms
			over, alone = append(over, s.over()), append(alone, s.programs)
		}
	}
	return []row{newRow(name, "ImageMagick itself, in the same run of it, a second after the one before", over, alone)}, nil
}

// overheadPort is overhead where the folder reaches the machine over its port, as on
// systems without the device.
func (b *toolRoom) overheadPort(ctx context.Context, name string, runs int) (rows []row, err error) {
	r, _, err := b.w.open(ctx, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.end(ctx)) }()
	over := &toolRoom{room: r, w: b.w, said: b.said, folder: b.folder}
	return over.overhead(ctx, name, runs)
}

// first is what comes on top of the program in the first operation of a restored
// machine, beside its second: what the machine still has to read, and in slow mode
// to translate.
func (b *toolRoom) first(c toolCase) func(context.Context, string, int) ([]row, error) {
	return func(ctx context.Context, name string, runs int) ([]row, error) {
		var first, second []time.Duration
		for range runs {
			r, _, err := b.w.openAs(ctx, asTasks)
			if err != nil {
				return nil, err
			}
			fresh := &toolRoom{room: r, w: b.w, said: b.said, folder: b.folder}
			for _, to := range []*[]time.Duration{&first, &second} {
				s, terr := fresh.around(ctx, c)
				err = errors.Join(err, terr)
				*to = append(*to, s.over())
			}
			if err := errors.Join(err, r.end(ctx)); err != nil {
				return nil, err
			}
		}
		return []row{newRow(name, "the second in the same machine", first, second)}, nil
	}
}

// many is how many small pictures a second become smaller ones, beside a loop
// over the program on the machine's own disk.
func (b *toolRoom) many(ctx context.Context, name string, runs, pictures int) ([]row, error) {
	guest := filepath.Join(wire.FoldersDir, filepath.Base(b.folder))
	local := wire.WorkDir + "/many"
	if _, err := b.runIn(ctx, wire.WorkDir, "cp", "-r", "--", guest+"/"+small, local); err != nil {
		return nil, err
	}
	const loop = `mkdir "$2" && for f in "$1"/*; do magick "jpeg:${f}[0]" -auto-orient -resize '64x>' "png:$2/$(basename "$f" .jpg).png" || exit 1; done`
	ours := func() (time.Duration, error) {
		var took time.Duration
		for names := range slices.Chunk(smallNames(pictures), 100) { // as chores do it
			c := toolCase{op: "image.resize", out: "many", params: map[string]any{"width": 64, "format": tools.FormatPNG}}
			for _, n := range names {
				c.in = append(c.in, filepath.Join(small, n))
			}
			one, err := b.guest(ctx, c)
			if err != nil {
				return 0, err
			}
			took += one
		}
		return took, nil
	}
	theirs := func() (time.Duration, error) {
		began := time.Now()
		if _, err := b.runIn(ctx, wire.WorkDir, "sh", "-c", loop, "loop", local, wire.WorkDir+"/smaller"); err != nil {
			return 0, err
		}
		took := time.Since(began)
		_, err := b.runIn(ctx, wire.WorkDir, "rm", "-rf", "--", wire.WorkDir+"/smaller")
		return took, err
	}
	r, err := compare(runs, name, "the same machine's own disk, and sh: "+loop, ours, theirs)
	if err != nil {
		return nil, err
	}
	per := func(ms float64) float64 { return float64(pictures) / ms * 1000 }
	r.Unit, r.Better, r.Ours, r.Comparator = "pictures/s", "higher", per(r.Ours), per(r.Comparator)
	r.Ratio = r.Ours / r.Comparator
	return []row{r}, nil
}

// guestLog keeps what the machines said last.
type guestLog struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *guestLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take returns what was said since it was called last.
func (l *guestLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.text.String()
	l.text.Reset()
	return s
}

// endedLine is what the agent says of an operation that ended.
var endedLine = regexp.MustCompile(`ended, exit 0 wall (\d+) ms(?:.*programs \d+ failed 0 wall (\d+) ms)?`)

// ended is how long the last operation took in the machine, and its programs. Its
// line may come after its answer.
func (l *guestLog) ended() (inside, programs time.Duration, err error) {
	said := ""
	for range 500 {
		said += l.take()
		if m := endedLine.FindStringSubmatch(said); m != nil {
			inside, err = milliseconds(m[1])
			if err == nil && m[2] != "" {
				programs, err = milliseconds(m[2])
			}
			return inside, programs, err
		}
		<-time.After(10 * time.Millisecond)
	}
	return 0, 0, fmt.Errorf("the machine did not say how long an operation took: %.500q", said)
}

func milliseconds(digits string) (time.Duration, error) {
	ms, err := strconv.Atoi(digits)
	return time.Duration(ms) * time.Millisecond, err
}
