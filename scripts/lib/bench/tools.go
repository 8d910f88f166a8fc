package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"piwork/pack/guest/operate"
	"piwork/pack/guest/operate/job"
	"piwork/pack/tools"
	"piwork/vmhost"
	"piwork/vmhost/wire"
)

// toolsBench measures the operations of the base pack in a machine that was
// restored, beside the same operations on this computer itself; what comes on top of
// a program; many small pictures; and the API's health while operations run.
func toolsBench(b *B) {
	w := newWorkshop(b)
	defer b.end(w.factory.Close)
	check(toolFiles(w.folder, b.pictures))
	said := &guestLog{}
	w.log = slog.New(slog.NewTextHandler(said, nil))
	w.with(asTasks, func(r *room) {
		t := &toolRoom{workshop: w, room: r, said: said, native: filepath.Join(b.dir, "native")}
		b.part("tools/first/resize", func() { t.first("tools/first/resize", resizing) })
		b.part("tools/first/hash", func() { t.first("tools/first/hash", toolCase{op: "file.hash", in: []string{table}}) })
		b.part("tools/overhead/resize", func() { t.overhead("tools/overhead/resize") })
		b.part("tools/overhead-9p/resize", func() { // where the folder reaches the machine over 9p, as on systems without virtio-fs
			w.with(restored, func(r *room) { t.in(r).overhead("tools/overhead-9p/resize") })
		})
		b.part("tools/many/throughput", t.many)
		b.part("tools/health/p99", t.health)
		t.operations()
	})
}

// toolRoom is a machine in which operations are measured.
type toolRoom struct {
	*workshop
	room   *room
	said   *guestLog
	native string // where this computer's own results go
	path   string // of the pack's programs on this computer; "" are its own
	n      int
}

// in is the same with another machine.
func (t *toolRoom) in(r *room) *toolRoom {
	return &toolRoom{workshop: t.workshop, room: r, said: t.said}
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
func (t *toolRoom) params(c toolCase) wire.ToolParams {
	t.n++
	p := wire.ToolParams{ID: fmt.Sprint("t", t.n), Op: c.op, Params: c.params}
	for _, in := range c.in {
		p.In = append(p.In, filepath.Join(wire.FoldersDir, filepath.Base(t.folder), in))
	}
	if c.out != "" {
		p.Out = fmt.Sprintf("%s/%d-%s", wire.OutDir, t.n, c.out)
	}
	return p
}

// guest does an operation in the machine, and returns how long its caller waits.
func (t *toolRoom) guest(c toolCase) time.Duration {
	p := t.params(c)
	began := time.Now()
	seen := must(t.room.Execute(t.ctx, vmhost.Action{Tool: &p}))
	took := time.Since(began)
	if len(seen.Tool.Problems) > 0 {
		failf("%s: %+v", c.op, seen.Tool.Problems)
	}
	if p.Out != "" {
		t.room.runIn(wire.WorkDir, "rm", "-rf", "--", p.Out)
	}
	return took
}

// here does an operation on this computer, without a machine.
func (t *toolRoom) here(c toolCase) time.Duration {
	p := t.params(c)
	for i, in := range c.in {
		p.In[i] = filepath.Join(t.folder, in)
	}
	if p.Out != "" {
		p.Out = filepath.Join(t.native, filepath.Base(p.Out))
	}
	scratch := filepath.Join(t.native, "scratch")
	check(os.MkdirAll(scratch, 0o700))
	defer t.remove(t.native)
	began := time.Now()
	r := must(operate.Run(t.ctx, job.Order{Tool: p, Scratch: scratch}, job.HostPrograms(scratch, cmp.Or(t.path, os.Getenv("PATH"))), func(job.Event) {}))
	took := time.Since(began)
	if len(r.Problems) > 0 {
		failf("%s on this computer: %+v", c.op, r.Problems)
	}
	return took
}

// operations measures each operation beside the same one on this computer. One for
// which it has no programs has no row.
func (t *toolRoom) operations() {
	prepare := sync.OnceFunc(t.nativePrograms)
	for _, c := range toolCases {
		name := "tools/" + c.op + "/wall"
		if format, ok := c.params["format"].(string); ok && c.op == "image.convert" {
			name = "tools/" + c.op + "-" + format + "/wall"
		}
		t.part(name, func() {
			prepare()
			t.guest(c) // the first reads what it is made of
			if err := try(func() { t.here(c) }); err != nil {
				fmt.Fprintf(os.Stderr, "  no row: %.200v\n", err)
				return
			}
			op, _ := tools.Find(c.op)
			with := "piwork's own code"
			if len(op.Programs) > 0 {
				with = strings.Join(op.Programs, ", ")
				if t.path != "" {
					with += " of the pack, in bwrap"
				}
			}
			t.compare(name, "the same operation on this computer, by "+with, func() time.Duration { return t.guest(c) }, func() time.Duration { return t.here(c) })
		})
	}
}

// nativePrograms has the programs of the pack run on this computer without a machine,
// in the pack's root file system, so that the same program is on both sides: t.path is
// a directory with a script for each, which starts it there (bwrap(1)) with the current
// directory to write to. Where that cannot be done, this computer's own programs are
// compared with.
func (t *toolRoom) nativePrograms() {
	for _, need := range []string{"fsck.erofs", "bwrap"} {
		if _, err := exec.LookPath(need); err != nil {
			fmt.Fprintf(os.Stderr, "bench: this computer's own programs are compared with, as far as it has them: for those of the pack there is no %s\n", need)
			return
		}
	}
	dir := filepath.Join(t.dir, "programs")
	root, bin := filepath.Join(dir, "root"), filepath.Join(dir, "bin")
	check(os.MkdirAll(bin, 0o700))
	t.extract(t.m.rootfs, root)
	line := []string{"exec", "bwrap"}
	for _, d := range []string{"usr", "etc", "var", "opt"} {
		line = append(line, "--ro-bind", "'"+filepath.Join(root, d)+"'", "/"+d)
	}
	for _, l := range []string{"bin", "lib", "lib64"} {
		line = append(line, "--symlink", "usr/"+l, "/"+l)
	}
	line = append(line, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", `"$PWD"`, `"$PWD"`, "--chdir", `"$PWD"`,
		"--setenv", "PATH", "/usr/bin", "--", `"${0##*/}"`, `"$@"`)
	script := filepath.Join(dir, "run")
	check(os.WriteFile(script, []byte("#!/bin/sh\nPATH='"+os.Getenv("PATH")+"' "+strings.Join(line, " ")+"\n"), 0o700))
	for _, n := range must(os.ReadDir(filepath.Join(root, "usr", "bin"))) {
		check(os.Symlink(script, filepath.Join(bin, n.Name())))
	}
	t.path = bin
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
func (t *toolRoom) around(c toolCase) (s spent) {
	t.said.take()
	s.whole = t.guest(c)
	s.inside, s.programs = t.said.ended()
	if op, _ := tools.Find(c.op); len(op.Programs) == 0 {
		s.programs = 0
	}
	return s
}

// breather is how long a machine is left alone before what a person does who did
// something else meanwhile.
const breather = time.Second

// overhead is what comes on top of the program in a machine that is warm and had
// nothing to do.
func (t *toolRoom) overhead(name string) {
	var over, alone []time.Duration
	for i := range t.runs + 1 {
		t.rest(breather)
		s := t.around(resizing)
		fmt.Fprintf(os.Stderr, "  %v: the program %v, around it in the machine %v, between there and here %v\n", s.whole.Round(time.Millisecond), s.programs,
			s.inside-s.programs, (s.whole - s.inside).Round(time.Millisecond))
		if i > 0 { // the first only warms
			over, alone = append(over, s.over()), append(alone, s.programs)
		}
	}
	t.times(name, "ImageMagick itself, in the same run of it, a second after the one before", over, alone)
}

// first is what comes on top of the program in the first operation of a restored
// machine, beside its second: what the machine still has to read, and in slow mode
// to translate.
func (t *toolRoom) first(name string, c toolCase) {
	var first, second []time.Duration
	for range t.runs {
		t.with(asTasks, func(r *room) {
			fresh := t.in(r)
			first = append(first, fresh.around(c).over())
			second = append(second, fresh.around(c).over())
		})
	}
	t.times(name, "the second in the same machine", first, second)
}

// many is how many small pictures a second become smaller ones, beside a loop
// over the program on the machine's own disk.
func (t *toolRoom) many() {
	guest := filepath.Join(wire.FoldersDir, filepath.Base(t.folder))
	local, smaller := wire.WorkDir+"/many", wire.WorkDir+"/smaller"
	t.room.runIn(wire.WorkDir, "cp", "-r", "--", guest+"/"+small, local)
	const loop = `mkdir "$2" && for f in "$1"/*; do magick "jpeg:${f}[0]" -auto-orient -resize '64x>' "png:$2/$(basename "$f" .jpg).png" || exit 1; done`
	ours := func() (took time.Duration) {
		for names := range slices.Chunk(smallNames(t.pictures), 100) { // as chores do it
			c := toolCase{op: "image.resize", out: "many", params: map[string]any{"width": 64, "format": tools.FormatPNG}}
			for _, n := range names {
				c.in = append(c.in, filepath.Join(small, n))
			}
			took += t.guest(c)
		}
		return took
	}
	theirs := func() time.Duration {
		took := timed(func() { t.room.runIn(wire.WorkDir, "sh", "-c", loop, "loop", local, smaller) })
		t.room.runIn(wire.WorkDir, "rm", "-rf", "--", smaller)
		return took
	}
	x, y := inTurn(t.runs, ours, theirs)
	t.rates("tools/many/throughput", "the same machine's own disk, and sh: "+loop, "pictures/s", float64(t.pictures), x, y)
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
func (l *guestLog) ended() (inside, programs time.Duration) {
	ms := func(digits string) time.Duration { return time.Duration(must(strconv.Atoi(digits))) * time.Millisecond }
	said := ""
	for range 500 {
		said += l.take()
		if m := endedLine.FindStringSubmatch(said); m != nil {
			return ms(m[1]), ms(cmp.Or(m[2], "0"))
		}
		<-time.After(10 * time.Millisecond)
	}
	failf("the machine did not say how long an operation took: %.500q", said)
	return 0, 0
}
