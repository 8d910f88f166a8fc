//go:build long && linux

package suites_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"piwork/vmhost/vm/suites/order"
	"piwork/vmhost/vm/suites/room"
	"piwork/vmhost/wire"
)

// A suite runs in a directory of its own and says what became of each test.
type suite struct {
	name string
	argv []string // {} is the directory
	read func(out string, found outcomes)
}

// outcomes are by test: passed, failed or skipped.
type outcomes map[string]string

const (
	passed  = "passed"
	failed  = "failed"
	skipped = "skipped"
)

// patience is far more than any suite takes on a busy machine.
const patience = 40 * time.Minute

// suites in the order in which they run.
var suites = []suite{
	// What POSIX says.
	{name: "gnulib", argv: script("gnulib.sh"), read: byCode},
	{name: "nfstest", argv: []string{"/usr/bin/python3", order.Programs + "/posix.py"}, read: byNFSTest},
	{name: "posixtest", argv: []string{order.Programs + "/posix.test", "-test.v"}, read: byGo},
	// TestRootMultiLink and TestRootMultiRename try all pairs of ways to write a path, which
	// is the walk of os.Root; what the system does in the end is tried by the others. They run in
	// a directory of their own, for TestDirSeek reads it twice while others make files in TMPDIR.
	{name: "go-os", argv: shell("mkdir here && cd here && exec " + order.Programs + "/os.test -test.v -test.short -test.skip 'TestRootMulti(Link|Rename)'"), read: byGo},
	{name: "go-filepath", argv: []string{order.Programs + "/filepath.test", "-test.v", "-test.short"}, read: byGo},
	{name: "python", argv: []string{
		"/bin/sh", "-c", "python3 -m test --junit-xml /tmp/python.xml --tempdir {} " + tooLong + exact + python + "; cat /tmp/python.xml",
	}, read: byJUnit},
	// Contents, at random and under load.
	{name: "exercise", argv: shell(`
		for seed in 1 2; do
			for how in plain mmap; do ` + order.Programs + `/init exercise $PWD/$seed $seed 1500 $how; echo RESULT $how, seed $seed $?; done
		done`), read: byCode},
	{name: "fio", argv: shell(fio), read: byCode},
	{name: "dbench", argv: shell(`dbench -t 10 -D $PWD -c /usr/share/dbench/client.txt 3; echo RESULT 3 clients $?`), read: byCode},
	// Where fallocate is not supported, as over 9p, fpunch writes zeros through the one
	// offset that its four processes share: it fails by chance, on a local disk too.
	{name: "stress-ng", argv: []string{
		"/usr/bin/stress-ng", "--class", "filesystem", "--exclude", "fpunch", "--sequential", "1", "--timeout", "2", "--verify", "--temp-path", "{}", "--metrics", "--oom-avoid",
	}, read: byStressNG},
	// What people do.
	{name: "scenes", argv: script("scenes.sh"), read: byCode},
}

// tooLong are tests that say nothing more about a share than others, and take minutes
// on it: one waits for timers, the others walk through a tree some hundred times.
const tooLong = "--ignore '*timerfd*' --ignore test_walk_many_open_files --ignore test_fd_leak "

// exact are tests that hold the time of a file, which the host says, against the guest's
// clock, to 50 ms. The suites' guest has only what its hardware clock said at the start;
// that of a task is told the host's time (wire.PrepareParams).
const exact = "--ignore 'test_utime_current*' "

// python are the modules of CPython's tests that are about what the system does with
// files. Those of pathlib, glob, tempfile, tarfile and the like do through these what is
// tried here, some thousand times.
const python = "test_os test_posix test_shutil test_mmap test_fcntl test_file test_fileio test_largefile test_sqlite3"

// fio writes and checks what it wrote, in ways that programs have.
const fio = `
check() { name=$1; shift; fio --output-format=terse --name=x --directory=$PWD --size=8m --verify=crc32c --verify_fatal=1 --randseed=7 --end_fsync=1 "$@" >log 2>&1; code=$?; echo RESULT "$name" $code; [ $code = 0 ] || tail -n 3 log | cut -c 1-300; rm -f x*; }
for bs in 4k 64k 1m; do check "write $bs" --rw=write --bs=$bs --ioengine=psync; done
check "random write" --rw=randwrite --bs=4k --ioengine=psync
check "random write, odd sizes" --rw=randwrite --bsrange=512-40k --bs_unaligned --ioengine=psync --norandommap
check "random write, mmap" --rw=randwrite --bs=4k --ioengine=mmap
check "random write, vectors" --rw=randwrite --bs=16k --ioengine=pvsync
check "random write, direct" --rw=randwrite --bs=4k --ioengine=psync --direct=1
check "random write, asynchronous" --rw=randwrite --bs=4k --ioengine=libaio --iodepth=8
check "random write, four files" --rw=randwrite --bs=4k --ioengine=psync --nrfiles=4
check "appending" --rw=write --bs=4k --ioengine=psync --file_append=1
`

func script(name string) []string {
	return []string{"/bin/sh", order.Programs + "/" + name}
}

func shell(text string) []string { return []string{"/bin/sh", "-c", text} }

var (
	codeLine = regexp.MustCompile(`(?m)^RESULT (.+) (\d+)$`)
	goLine   = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) \(`)
	nfsLine  = regexp.MustCompile(`(?m)^\s+(PASS|FAIL|WARN|IGNR): (.+?)(?: \(\d+ passed, \d+ failed\)| at offset = \d+)?$`)
	stress   = regexp.MustCompile(`(?m)^stress-ng: info: +\[\d+\] (passed|failed|skipped|metrics untrustworthy): \d+:? ?(.*)$`)
	stressed = regexp.MustCompile(`([a-z0-9-]+) \(\d+\)`)
)

var codes = map[string]string{"0": passed, "77": skipped}

func byCode(out string, found outcomes) {
	for _, m := range codeLine.FindAllStringSubmatch(out, -1) {
		if found[m[1]] = codes[m[2]]; found[m[1]] == "" {
			found[m[1]] = failed
		}
	}
}

func byGo(out string, found outcomes) {
	for _, m := range goLine.FindAllStringSubmatch(out, -1) {
		found[m[2]] = map[string]string{"PASS": passed, "FAIL": failed, "SKIP": skipped}[m[1]]
	}
}

func byNFSTest(out string, found outcomes) {
	for _, m := range nfsLine.FindAllStringSubmatch(out, -1) {
		what := map[string]string{"PASS": passed, "FAIL": failed, "WARN": failed, "IGNR": skipped}[m[1]]
		if found[m[2]] == "" || what == failed {
			found[m[2]] = what
		}
	}
}

func byStressNG(out string, found outcomes) {
	for _, m := range stress.FindAllStringSubmatch(out, -1) {
		for _, name := range stressed.FindAllStringSubmatch(m[2], -1) {
			if m[1] == passed || m[1] == failed || m[1] == skipped {
				found[name[1]] = m[1]
			}
		}
	}
}

// byJUnit reads what Python's tests wrote.
func byJUnit(out string, found outcomes) {
	var all struct {
		Suites []struct {
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Result  string    `xml:"result,attr"`
				Status  string    `xml:"status,attr"`
				Skipped *struct{} `xml:"skipped"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	_, text, _ := strings.Cut(out, "<testsuites")
	if err := xml.Unmarshal([]byte("<testsuites"+text), &all); err != nil {
		found["the report: "+err.Error()] = failed
	}
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			switch {
			case c.Failure != nil || c.Error != nil:
				found[c.Name] = failed
			case c.Skipped != nil || c.Status == "notrun" || c.Result == "skipped" || c.Result == "suppressed":
				found[c.Name] = skipped
			default:
				found[c.Name] = passed
			}
		}
	}
}

// TestSuites runs all suites on a disk of the guest's own and over both front
// ends, and compares with what is expected.
func TestSuites(t *testing.T) {
	image, changed, err := room.Image(t.Context(), "room", *update, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if len(changed) > 0 {
		t.Errorf("to be committed: %q", changed)
	}
	files := map[string]string{}
	bin := t.TempDir()
	for name, pkg := range map[string]string{"posix.test": "./posix", "os.test": "os", "filepath.test": "path/filepath"} {
		files[name] = filepath.Join(bin, name)
		build(t, files[name], "test", "-c", "-tags", "long", "-trimpath", "-o", files[name], pkg)
	}
	for _, name := range []string{"gnulib.sh", "scenes.sh", "posix.py"} {
		files[name] = filepath.Join("testdata", name)
	}
	want, err := readFindings(expectedFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	got := map[frontEnd]outcomes{}
	places := []frontEnd{noFolders, over9P, overDevice}
	if only := frontEnd(os.Getenv("PIWORK_TEST_PLACE")); only != "" {
		if !slices.Contains(places, only) {
			t.Fatalf("%s is none of %v", only, places)
		}
		places = []frontEnd{only}
	}
	for _, how := range places {
		got[how] = outcomes{}
		t.Run(string(how), func(t *testing.T) {
			runSuites(t, how, options{root: image, files: files, memoryMB: 1024}, want, got[how])
		})
	}
	if os.Getenv("PIWORK_TEST_PLACE") == "" {
		compare(t, want.of(os.Getenv("PIWORK_TEST_SUITE")), got, want)
	}
}

func runSuites(t *testing.T, how frontEnd, o options, want findings, all outcomes) {
	h := newHost(t)
	m := boot(t, h, how, o)
	base := "/work/local"
	if how != noFolders {
		m.mount(how)
		base = wire.FoldersDir + "/rw"
	}
	for _, s := range suites {
		if only := os.Getenv("PIWORK_TEST_SUITE"); only != "" && only != s.name {
			continue
		}
		if want.totals[s.name] == "" && !*update {
			t.Errorf("%s: nobody has written what is expected of it: run with -update", s.name)
			continue
		}
		began := time.Now()
		place := base + "/" + s.name
		argv := make([]string, len(s.argv))
		for i, a := range s.argv {
			argv[i] = strings.ReplaceAll(a, "{}", place)
		}
		// Its clock can be ahead of the host's, by which files get the time "now"; tests compare the two.
		m.order(order.Order{Do: order.Clock, Time: time.Now().UnixNano(), Limit: stall})
		m.order(order.Order{Do: order.Run, Argv: []string{"/bin/mkdir", place}, Limit: stall})
		r, err := m.try(order.Order{Do: order.Run, Argv: argv, Dir: place, Env: []string{"TMPDIR=" + place}, Limit: patience})
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, m.Console().Tail())
		}
		found := outcomes{}
		s.read(string(r.Out), found)
		if r.Limited {
			found["in time"] = failed
		}
		counts := map[string]int{}
		for name, what := range found {
			counts[what]++
			all[s.name+": "+name] = what
		}
		t.Logf("%s on %s: %d passed, %d failed, %d skipped, exit %d, %v", s.name, how, counts[passed], counts[failed], counts[skipped], r.Exit, time.Since(began).Round(time.Second))
		if dir := os.Getenv("PIWORK_TEST_OUTPUT"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s.txt", s.name, how)), r.Out, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}

// build runs the go command for a static program.
func build(t *testing.T, out string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", filepath.Base(out), err, b)
	}
}
