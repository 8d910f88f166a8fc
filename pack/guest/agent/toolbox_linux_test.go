package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"piwork/pack/guest/execution"
	"piwork/pack/guest/order"
	"piwork/pack/tools"
	"piwork/scripts/lib/tier"
	"piwork/vmhost/wire"
)

func TestTools(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	var in []string
	for i := range 5 {
		in = append(in, filepath.Join(r.work, fmt.Sprintf("-%d 'x\n.jpg", i)))
		if err := os.WriteFile(in[i], b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in = append(in, filepath.Join(r.work, "gone"))
	res := must[wire.ToolResult](t, c, wire.MethodToolRun, wire.ToolParams{ID: "t", Op: "image.info", In: in})
	if err := res.Validate(); err != nil {
		t.Error(err)
	}
	if len(res.Info) != 5 || len(res.Problems) != 1 || res.Problems[0].Code != tools.InputMissing || res.ID != "t" {
		t.Errorf("%+v", res)
	}
	r.mu.Lock()
	last := r.progress[len(r.progress)-1]
	r.mu.Unlock()
	if last.ID != "t" || last.Done != 6 || last.Total != 6 {
		t.Errorf("%+v", last)
	}
	// Reading a FIFO would wait for good; it is refused instead.
	fifo := filepath.Join(r.work, "fifo")
	if err := mkfifo(fifo); err != nil {
		t.Fatal(err)
	}
	res = must[wire.ToolResult](t, c, wire.MethodToolRun, wire.ToolParams{ID: "f", Op: "file.hash", In: []string{fifo}})
	if len(res.Problems) != 1 || res.Problems[0].Code != tools.InputUnsupported {
		t.Errorf("%+v", res)
	}
	// A run that takes longer than it may.
	res = must[wire.ToolResult](t, c, wire.MethodToolRun, wire.ToolParams{ID: "slow", Op: "file.hash", In: []string{"/proc", "/sys", "/usr"}, Params: map[string]any{"recursive": true}, Limits: wire.Limits{WallMS: 1}})
	if len(res.Problems) == 0 || res.Problems[len(res.Problems)-1].Code != tools.Timeout {
		t.Errorf("%+v", res.Problems)
	}
}

func TestToolsCancel(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	big := filepath.Join(r.work, "big")
	if err := os.WriteFile(big, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, 64<<30); err != nil { // sparse: hashing it takes minutes
		t.Fatal(err)
	}
	done := make(chan wire.ToolResult, 1)
	go func() {
		res, _ := call[wire.ToolResult](t, c, wire.MethodToolRun, wire.ToolParams{ID: "h", Op: "file.hash", In: []string{big}})
		done <- res
	}()
	for {
		if _, err := call[wire.Empty](t, c, wire.MethodCancel, wire.ExecRef{ID: "h"}); err == nil {
			break
		}
	}
	res := <-done
	if len(res.Problems) != 1 || res.Problems[0].Code != tools.Cancelled || res.Problems[0].Path != "" {
		t.Errorf("%+v", res)
	}
}

func mkfifo(path string) error { return unix.Mkfifo(path, 0o600) }

// What waits takes the next order; a run beside it, and one after it, are started.
func TestToolsStandby(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	box := r.agent.cfg.Tools.(*Tools)
	box.Standby = &execution.Standby{Starter: box.Starter, Program: box.Waiting}
	t.Cleanup(box.Standby.Close)
	p := wire.ToolParams{Op: "file.hash", In: []string{filepath.Join(r.work, "a")}}
	if err := os.WriteFile(p.In[0], []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	var want string
	for n := range 6 {
		if n == 1 || n == 4 {
			if err := box.Standby.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		p.ID = fmt.Sprint("s", n)
		res := must[wire.ToolResult](t, c, wire.MethodToolRun, p)
		if res.ID != p.ID || len(res.Info) != 1 || len(res.Problems) != 0 {
			t.Fatalf("%d: %+v", n, res)
		}
		if got := fmt.Sprint(res.Info); n == 0 {
			want = got
		} else if got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
	// Its bounds are those of the run that it is given.
	if err := box.Standby.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow := wire.ToolParams{ID: "slow", Op: "file.hash", In: []string{"/proc", "/sys", "/usr"}, Params: map[string]any{"recursive": true}, Limits: wire.Limits{WallMS: 1}}
	if res := must[wire.ToolResult](t, c, wire.MethodToolRun, slow); len(res.Problems) == 0 || res.Problems[len(res.Problems)-1].Code != tools.Timeout {
		t.Errorf("%+v", res.Problems)
	}
}

// A process of operations that is not there, is none or breaks is a problem like
// any other, and the next run is not held up by it.
func TestToolsWithoutProgram(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	box := r.agent.cfg.Tools.(*Tools)
	good, dir := box.Operate, t.TempDir()
	notProgram, denied := filepath.Join(dir, "text"), filepath.Join(dir, "denied")
	for name, mode := range map[string]os.FileMode{notProgram: 0o755, denied: 0o644} {
		if err := os.WriteFile(name, []byte("\x00\x01 no program"), mode); err != nil {
			t.Fatal(err)
		}
	}
	p := wire.ToolParams{ID: "x", Op: "image.info", In: []string{"/nonexistent/a.png"}, Request: "req-7"}
	for _, program := range []string{filepath.Join(dir, "missing"), notProgram, denied} {
		box.Operate = []string{program}
		_, err := call[wire.ToolResult](t, c, wire.MethodToolRun, p)
		wantCode(t, err, wire.CodeStart)
		if line := r.lines[len(r.lines)-1]; !strings.HasPrefix(line, "error tool image.info run x request req-7: not started: ") || !strings.Contains(line, program) {
			t.Errorf("%s: logged %q", program, line)
		}
	}
	for _, how := range []string{"crash", "nonsense"} {
		box.Operate = []string{good[0], "tell", how}
		res := must[wire.ToolResult](t, c, wire.MethodToolRun, p)
		if len(res.Problems) != 1 || res.Problems[0].Code != tools.ToolFailed || res.Problems[0].Path != "" {
			t.Errorf("%s: %+v", how, res)
		}
	}
	box.Operate = good
	if res := must[wire.ToolResult](t, c, wire.MethodToolRun, p); len(res.Problems) != 1 || res.Problems[0].Code != tools.InputMissing {
		t.Errorf("%+v", res)
	}
}

// tell plays a process of operations that says a given thing.
func tell(what string) int {
	var o order.Order
	if err := json.NewDecoder(os.Stdin).Decode(&o); err != nil {
		return 3
	}
	say := func(ev order.Event) { _ = json.NewEncoder(os.Stdout).Encode(ev) }
	switch what {
	case "crash":
		fmt.Fprintln(os.Stderr, "a mistake")
		return 2
	case "nonsense":
		fmt.Fprintln(os.Stdout, "this is no event")
		return 0
	case "words":
		for range 10 {
			say(order.Event{Said: bytes.Repeat([]byte{'w'}, 10_000)})
		}
		say(order.Event{Result: &wire.ToolResult{ID: o.Tool.ID}})
		return 0
	}
	for n := range 100 {
		ran := order.Ran{Program: "magick", ArgsSHA256: strings.Repeat("a", 64), WallMS: 2, StderrBytes: 5, StderrSHA256: strings.Repeat("b", 64)}
		switch {
		case n >= 40 && n < 45:
			ran.ExitCode = 1
		case n == 50:
			ran.ExitCode, ran.Timeout = 137, true
		}
		say(order.Event{Ran: &ran})
	}
	say(order.Event{Result: &wire.ToolResult{ID: o.Tool.ID, Problems: []wire.ToolProblem{tools.Problem(tools.DiskFull, "", "")}}})
	return 0
}

// What is kept of a run names who asked for it, and never its arguments. An
// operation on many files does not fill the log.
func TestToolsLog(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	box := r.agent.cfg.Tools.(*Tools)
	box.Operate = []string{box.Operate[0], "tell", "programs"}
	p := wire.ToolParams{ID: "task:1", Op: "pdf.protect", In: []string{"/folders/a/private name.pdf"}, Out: "/work/out/x.pdf", Params: map[string]any{"password": "swordfish"}, Request: "req-7"}
	must[wire.ToolResult](t, c, wire.MethodToolRun, p)
	const name = " tool pdf.protect run task:1 request req-7: "
	const digests = " args " + "aaaaaaaa"
	var programs int
	for i, line := range r.lines {
		level, rest, ok := strings.Cut(line, name)
		if !ok || strings.Contains(line, "swordfish") || strings.Contains(line, "private") || strings.ContainsAny(line, "\n\r") {
			t.Errorf("line %q", line)
		}
		switch last := i == len(r.lines)-1; {
		case last:
			if want := "programs 100 failed 6 wall 200 ms, disk-full"; level != "warn" || !strings.HasSuffix(rest, want) {
				t.Errorf("the last line is %q, want one with %q", line, want)
			}
		case strings.HasPrefix(rest, "program magick exit 0 wall 2 ms") && level == "debug", strings.HasPrefix(rest, "program magick exit 1 wall 2 ms") && level == "info":
			programs++
		}
		if strings.Contains(rest, "exit 137") && !strings.Contains(rest, " timeout ") {
			t.Errorf("line %q", line)
		}
	}
	if programs != maxRan+5 || len(r.lines) != maxRan+6+1 || !strings.Contains(r.lines[0], digests) {
		t.Errorf("%d lines of programs in %q", programs, r.lines)
	}
	// Nobody asked through the API.
	p.Request = ""
	must[wire.ToolResult](t, c, wire.MethodToolRun, p)
	if last := r.lines[len(r.lines)-1]; !strings.HasPrefix(last, "warn tool pdf.protect run task:1: ended, exit 0 ") {
		t.Errorf("%q", last)
	}
}

// What programs say is told to the caller and written down nowhere, up to a bound, and
// so are the lines about them.
func TestToolsSaid(t *testing.T) {
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	box := r.agent.cfg.Tools.(*Tools)
	box.Operate = []string{box.Operate[0], "tell", "words"}
	must[wire.ToolResult](t, c, wire.MethodToolRun, wire.ToolParams{ID: "x", Op: "image.info", In: []string{"/a.png"}})
	r.mu.Lock()
	told := r.output.String()
	r.mu.Unlock()
	if n := strings.Count(told, "w") - strings.Count(told, "wall") - strings.Count(told, "wrote"); n != order.MaxSaid {
		t.Errorf("%d bytes were passed on", n)
	}
	if strings.Count(told, "wrote more than") != 1 || !strings.Contains(told, "\nwarn ") && !strings.Contains(told, "info ended, exit 0 ") {
		t.Errorf("the lines are %q", strings.ReplaceAll(told, "w", ""))
	}
	if lines := strings.Join(r.lines, ""); strings.Contains(lines, "www") {
		t.Errorf("written down: %.200q", lines)
	}
}

// An answer that comes in parts is found once: what is left of it is kept for the
// next process, in a directory of its own, until the last part.
func TestToolsInParts(t *testing.T) {
	tier.Unraced(t)
	r := newRig(t)
	close(r.ready)
	c, _ := r.connect()
	box := r.agent.cfg.Tools.(*Tools)
	const pairs = 1500
	in := filepath.Join(r.work, "in")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * pairs {
		name := fmt.Sprintf("%05d %s", i, strings.Repeat("long ", 20))
		if err := os.WriteFile(filepath.Join(in, name), fmt.Appendf(nil, "%06d", i/2), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	groups, parts := 0, 0
	for after := ""; parts == 0 || after != ""; parts++ {
		res := must[wire.ToolResult](t, c, wire.MethodToolRun, wire.ToolParams{
			ID: fmt.Sprint("d", parts), Op: "file.duplicates", In: []string{in}, Params: map[string]any{"after": after},
		})
		groups += len(res.Info)
		if after = ""; len(res.Problems) > 0 {
			after = res.Problems[0].Path
		}
		kept, err := filepath.Glob(filepath.Join(box.Scratch, "kept", "*"))
		if err != nil || (len(kept) > 0) != (after != "") {
			t.Errorf("after part %d are kept %v, %v", parts, kept, err)
		}
	}
	if groups != pairs || parts < 2 {
		t.Errorf("%d groups in %d parts", groups, parts)
	}
}
