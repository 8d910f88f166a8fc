//go:build vm

package app

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"piwork/app/aitask"
	"piwork/app/machines"
	"piwork/app/upkeep"
)

// canary is the key that must be found nowhere but in the keychain and on its way
// to the provider.
const canary = "sk-canary-5c1f0e9a7d3b4286"

// marker is what the guest leaves on its disk: a search that does not find it there
// would not find a key either. The guest computes it, so that it is in no record.
const (
	marker      = "left-on-the-disk-622553"
	leaveMarker = "echo left-on-the-disk-$((617*1009)) > /work/marker; sync"
)

// canaryForms are the key as programs write it down.
var canaryForms = func() [][]byte {
	wide := make([]byte, 0, 2*len(canary))
	for _, c := range utf16.Encode([]rune(canary)) {
		wide = append(wide, byte(c), byte(c>>8))
	}
	out := [][]byte{[]byte(canary), wide, []byte(hex.EncodeToString([]byte(canary)))}
	for shift := range 3 { // where it begins in three bytes; its ends depend on what is beside it
		coded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), canary...))
		out = append(out, []byte(coded[4:len(coded)-4]))
	}
	return out
}()

// isGone reports whether a file, or the process that /proc shows by it, ended meanwhile.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// searchStream looks for the key: how much it read, and whether the key and the guest's
// marker were there.
func searchStream(r io.Reader) (n int64, key, marked bool) {
	const overlap = 128 // it may lie over the end of a part
	buf := make([]byte, 4<<20)
	kept := 0
	for {
		got, err := io.ReadFull(r, buf[kept:])
		n += int64(got)
		part := buf[:kept+got]
		for _, form := range canaryForms {
			key = key || bytes.Contains(part, form)
		}
		marked = marked || bytes.Contains(part, []byte(marker))
		if err != nil || key {
			return n, key, marked
		}
		kept = copy(buf, part[len(part)-overlap:])
	}
}

// searched is what a search went through: bytes by kind.
type searched struct {
	bytes  map[string]int64
	marked map[string]bool
}

// kinds of files in which a key would be out of place, by what their paths have.
var searchedKinds = []struct{ has, kind string }{
	{"overlay", "overlays"}, {"/" + aitask.StateDir + "/", "state"}, {"/" + machines.TemplatesDir + "/", "templates"}, {".log", "logs"},
	{"timeline", "timelines"}, {"/audit/", "audit"},
}

func (s *searched) file(t *testing.T, path, open string) {
	t.Helper()
	f, err := os.Open(open)
	if isGone(err) { // the program goes on working
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	kind := "others"
	for _, k := range searchedKinds {
		if strings.Contains(path, k.has) {
			kind = k.kind
			break
		}
	}
	n, key, marked := searchStream(f)
	if key {
		t.Errorf("the key is in %s", path)
	}
	s.bytes[kind] += n
	s.marked[kind] = s.marked[kind] || marked
}

func (s *searched) tree(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			s.file(t, path, path)
		}
		if isGone(err) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// has fails when nothing of a kind was there to be searched.
func (s *searched) has(t *testing.T, kinds ...string) {
	t.Helper()
	for _, k := range kinds {
		if s.bytes[k] == 0 {
			t.Errorf("no %s were searched: %v", k, s.bytes)
		}
	}
}

// searchRunning looks for the key in all that is written while a machine works: its
// overlay, also where the file has no name, state, templates, logs, sockets' directory.
func searchRunning(t *testing.T, c *Controller) {
	t.Helper()
	s := &searched{map[string]int64{}, map[string]bool{}}
	s.tree(t, filepath.Dir(c.o.DataDir))
	s.tree(t, c.runs.Base)
	for _, dir := range machineProcesses(t, c) {
		open, err := os.ReadDir(filepath.Join(dir, "fd"))
		if err != nil && !isGone(err) {
			t.Error(err)
		}
		for _, fd := range open {
			name := filepath.Join(dir, "fd", fd.Name())
			path, err := os.Readlink(name)
			if info, serr := os.Stat(name); err == nil && serr == nil && info.Mode().IsRegular() && strings.HasSuffix(path, " (deleted)") {
				s.file(t, path, name)
			}
		}
	}
	s.has(t, "overlays", "state", "templates", "logs", "timelines", "audit")
	if !s.marked["overlays"] {
		t.Errorf("what the guest wrote is not in its overlay: a key would not be found there either (%v)", s.bytes)
	}
}

// searchEnded looks for the key in all that stays: files, the bundle for finding faults,
// and tasks as they are exported.
func searchEnded(t *testing.T, c *Controller) {
	t.Helper()
	s := &searched{map[string]int64{}, map[string]bool{}}
	s.tree(t, filepath.Dir(c.o.DataDir))
	s.has(t, "state", "templates", "logs", "timelines", "audit")
}

// searchPacked looks for the key in what a person hands on.
func searchPacked(t *testing.T, c *Controller, id string) {
	t.Helper()
	bundle := filepath.Join(t.TempDir(), "bundle.zip")
	if _, err := c.WriteDiagnostics(t.Context(), upkeep.DiagnosticsRequest{Path: bundle}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatal(err)
	}
	searchZip(t, data, "the bundle", "about.json", "tasks.json", "logs/")
	exported, err := c.ExportTask(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer exported.Close()
	if data, err = io.ReadAll(exported); err != nil {
		t.Fatal(err)
	}
	searchZip(t, data, "the exported task", "task.json", "timeline")
}

// searchZip looks into each file; each of want has to be the beginning of one's name.
func searchZip(t *testing.T, data []byte, what string, want ...string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		n, key, _ := searchStream(r)
		if key {
			t.Errorf("the key is in %s: %s", what, f.Name)
		}
		if n > 0 {
			names = append(names, "\n"+f.Name)
		}
		r.Close()
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(names, ""), "\n"+w) {
			t.Errorf("%s has no %s, but%s", what, w, strings.Join(names, ""))
		}
	}
}

// machineProcesses are the directories in /proc of the machines of a controller.
func machineProcesses(t *testing.T, c *Controller) (out []string) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		line, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err == nil && bytes.Contains(line, []byte(c.o.DataDir)) && bytes.Contains(line, []byte("qemu")) {
			out = append(out, dir)
		}
	}
	return out
}

// searchMachines looks for the key in the memory of every machine, as its process
// has it: the guest's and all that QEMU has beside.
func searchMachines(t *testing.T, c *Controller) {
	t.Helper()
	searched := int64(0)
	for _, dir := range machineProcesses(t, c) {
		maps, err := os.ReadFile(filepath.Join(dir, "maps"))
		if isGone(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		mem, err := os.Open(filepath.Join(dir, "mem"))
		if isGone(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for m := range strings.Lines(string(maps)) {
			span, rest, _ := strings.Cut(m, " ")
			from, to, _ := strings.Cut(span, "-")
			a, err1 := strconv.ParseInt(from, 16, 64)
			b, err2 := strconv.ParseInt(to, 16, 64)
			if err1 != nil || err2 != nil || !strings.HasPrefix(rest, "r") {
				continue
			}
			n, key, _ := searchStream(io.NewSectionReader(mem, a, b-a))
			if key {
				t.Errorf("the key is in the machine: %s", strings.TrimSpace(m))
			}
			searched += n
		}
		_ = mem.Close()
	}
	if searched < 64<<20 {
		t.Errorf("only %d bytes of memory could be searched", searched)
	}
}

// A search that finds nothing has to be able to find something.
func TestCanarySearchFinds(t *testing.T) {
	for name, written := range map[string][]byte{
		"as it is": []byte(canary), "wide": canaryForms[1], "hex": []byte(hex.EncodeToString([]byte(canary))),
		"base64":     []byte(base64.StdEncoding.EncodeToString([]byte(canary))),
		"basic auth": []byte(base64.StdEncoding.EncodeToString([]byte("u:" + canary + "!"))), "header": []byte(base64.URLEncoding.EncodeToString([]byte(":" + canary))),
	} {
		over := io.MultiReader(bytes.NewReader(make([]byte, 4<<20-7)), bytes.NewReader(written), strings.NewReader("end"))
		if _, key, _ := searchStream(over); !key {
			t.Errorf("%s: the key is not found over the end of a part", name)
		}
	}
	if _, key, _ := searchStream(bytes.NewReader(make([]byte, 9<<20))); key {
		t.Error("it finds what is not there")
	}
}
