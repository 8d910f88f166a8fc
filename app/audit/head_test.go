package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A forger who may write the directory of the log, and has no key, is found.
func TestForgeriesShow(t *testing.T) {
	forged := func(n int) (log []byte, at state) {
		at = genesis()
		for range n {
			line, err := seal(Record{V: 2, N: at.n + 1, Prev: at.prev, Event: EventDecision, Decision: Decision{Answer: "allow"}})
			if err != nil {
				t.Fatal(err)
			}
			log, at = append(append(log, line...), '\n'), state{n: at.n + 1, prev: hash(line)}
		}
		return log, at
	}
	other := testKey(t, t.TempDir())
	rows := []struct {
		name   string
		forge  func(file string, h head) head // the head that it writes
		reason error
	}{
		{"a chain computed anew, its head not signed", func(file string, _ head) head {
			log, at := forged(4)
			write(t, file, log)
			return head{N: at.n, Hash: at.prev}
		}, errUnsigned},
		{"signed by another key", func(file string, _ head) head {
			log, at := forged(4)
			write(t, file, log)
			return newHead(other, point{}, at)
		}, errOtherKey},
		{"signed by another key that says it is this one", func(file string, h head) head {
			log, at := forged(4)
			write(t, file, log)
			f := newHead(other, point{}, at)
			f.Key = h.Key
			return f
		}, errSignature},
		{"the signature of another head", func(file string, h head) head {
			log, at := forged(4)
			write(t, file, log)
			h.N, h.Hash = at.n, at.prev
			return h
		}, errSignature},
		{"the end cut off, the head made to fit", func(file string, h head) head {
			data := read(t, file)
			lines := bytes.SplitAfter(data, []byte("\n"))
			write(t, file, bytes.Join(lines[:3], nil))
			h.N, h.Hash = 3, hash(bytes.TrimSuffix(lines[2], []byte("\n")))
			return h
		}, errSignature},
		{"the beginning cut off", func(file string, h head) head {
			lines := bytes.SplitAfter(read(t, file), []byte("\n"))
			write(t, file, bytes.Join(lines[2:], nil))
			h.From = point{N: 3, Hash: hash(bytes.TrimSuffix(lines[1], []byte("\n")))}
			return h
		}, errSignature},
		{"two lines behind the end", func(file string, h head) head {
			at := state{n: h.N, prev: h.Hash}
			data := read(t, file)
			for range 2 {
				line, err := seal(Record{V: 2, N: at.n + 1, Prev: at.prev, Event: EventDecision})
				if err != nil {
					t.Fatal(err)
				}
				data, at = append(append(data, line...), '\n'), state{n: at.n + 1, prev: hash(line)}
			}
			write(t, file, data)
			return h
		}, errBehind},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 3)
			file := filepath.Join(dir, LogName)
			h, err := readHead(headFile(file))
			if err != nil {
				t.Fatal(err)
			}
			if err := writeHead(headFile(file), r.forge(file, h)); err != nil {
				t.Fatal(err)
			}
			key := testKey(t, dir).Public()
			if rep, err := Verify(file, key, nil); err != nil || rep.OK || rep.Reason != r.reason.Error() {
				t.Errorf("%+v, %v; want %v", rep, err, r.reason)
			}
			// The program signs what follows, and the forgery goes on to show, by record.
			fill(t, dir, 1)
			fill(t, dir, 1)
			rep, err := Verify(file, key, nil)
			if err != nil || rep.OK || rep.BadLine == 0 || !strings.HasSuffix(rep.Reason, r.reason.Error()) && rep.Reason != errPrevious.Error() {
				t.Errorf("after more records: %+v, %v", rep, err)
			}
		})
	}
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Who removes the log together with its head, or writes one line in their place, is found. A log
// that is made is there with its head at once.
func TestRemovedLogShows(t *testing.T) {
	dir := t.TempDir()
	key := testKey(t, dir)
	log := filepath.Join(dir, "audit")
	open := func() Report {
		l, rep, _, err := Open(log, Options{Key: key})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return rep
	}
	if rep := open(); !rep.OK {
		t.Errorf("a new log: %+v", rep)
	}
	fill(t, dir, 0) // settles the key there
	for _, line := range []bool{false, true} {
		for _, name := range []string{LogName, filepath.Base(headFile(LogName))} {
			if err := os.Remove(filepath.Join(log, name)); err != nil {
				t.Fatal(err)
			}
		}
		if line {
			forged, err := seal(Record{V: 2, N: 1, Prev: genesis().prev, Event: EventDecision})
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(log, LogName), append(forged, '\n'))
		}
		if rep := open(); rep.OK || rep.Reason != errNoHead.Error() {
			t.Errorf("forged line %t: %+v", line, rep)
		}
		if rep := open(); rep.OK {
			t.Errorf("forged line %t, later: %+v", line, rep)
		}
	}
}

// A line behind the head, which a crash may have left, is named.
func TestLineBehindTheHeadIsNamed(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	file := filepath.Join(dir, LogName)
	line, err := seal(Record{V: 2, N: 3, Prev: hash(bytes.Split(read(t, file), []byte("\n"))[1]), Event: EventDecision})
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, append(append(read(t, file), line...), '\n'))
	l, rep, _ := openLog(t, dir)
	p, err := l.Records(t.Context(), Filter{Event: EventRecovered})
	if err != nil || !rep.OK || len(p.Records) != 1 || !strings.Contains(p.Records[0].Reason, "record 3") {
		t.Errorf("%+v, %+v, %v", rep, p, err)
	}
}

// Records after one that does not hold are shown, and that it does not hold.
func TestRecordsBehindDamageAreShown(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	file := filepath.Join(dir, LogName)
	write(t, file, bytes.Replace(read(t, file), []byte(`"exit":0`), []byte(`"exit":9`), 1))
	fill(t, dir, 1)
	l, _, _ := openLog(t, dir)
	p, err := l.Records(t.Context(), Filter{})
	if err != nil || p.BadLine != 2 || len(p.Records) != 6 || p.Records[0].N != 7 {
		t.Errorf("%d records, %+v, %v", len(p.Records), p, err)
	}
	if n := bytes.Count(read(t, file), []byte(`"event":"broken"`)); n != 1 {
		t.Errorf("named %d times", n)
	}
}

// Nothing goes for its age where the age may be forged, and that is written down.
func TestForgedAgeRemovesNothing(t *testing.T) {
	for name, forge := range map[string]func(string) string{
		"older": func(s string) string { return strings.Replace(s, `"time":"20`, `"time":"19`, 1) },
		"none":  func(s string) string { return "x" + s[1:] },
	} {
		dir := t.TempDir()
		now := time.Now()
		l, _, _, err := Open(dir, Options{Key: testKey(t, dir), Days: func() int { return 30 }, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if err := l.Append(Record{Event: EventDecision}); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(dir, LogName)
		write(t, file, []byte(forge(string(read(t, file)))))
		now = now.Add(25 * time.Hour)
		for range 2 {
			if err := l.Append(Record{Event: EventDecision}); err != nil {
				t.Fatal(err)
			}
		}
		if rep, err := l.Verify(); err != nil || rep.BadLine != 1 {
			t.Errorf("%s: %+v, %v", name, rep, err)
		}
		if data := read(t, file); bytes.Count(data, []byte("\n")) != 7 || bytes.Count(data, []byte(`"event":"broken"`)) != 1 {
			t.Errorf("%s: %s", name, data)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What others can make long takes no more of the log than any record.
func TestRecordsAreBounded(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := openLog(t, dir)
	long := strings.Repeat("<", 100<<10)
	if err := l.Append(Record{Event: EventBegin, Begin: Begin{Program: "true", EnvNames: []string{long}}, Decision: Decision{Topic: long}}); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(Record{Event: EventBegin, Begin: Begin{Program: long}}); err == nil {
		t.Error("written")
	}
	if n := len(read(t, filepath.Join(dir, LogName))); n > 4<<10 {
		t.Errorf("%d bytes", n)
	}
}

// earlier writes a log as programs did whose heads are not signed.
func earlier(t *testing.T, dir string) {
	t.Helper()
	const line = `{"v":1,"n":1,"time":"2026-01-02T03:04:05Z","prev":"PREV","event":"begin","exec":"a/1","argv":["cat","/folders/Diary/love.txt"]`
	text := strings.Replace(line, "PREV", genesis().prev, 1)
	text += sumStart + hash([]byte(text)) + `"}`
	write(t, filepath.Join(dir, LogName), []byte(text+"\n"))
	write(t, headFile(filepath.Join(dir, LogName)), []byte(`{"n":1,"hash":"`+hash([]byte(text))+`"}`))
}

// A log of an earlier program is taken over, and killing the program at any step of that leaves
// one that holds. Once there is a key, a log that is not signed is none of this computer.
func TestLogOfEarlierProgram(t *testing.T) {
	steps := []func(t *testing.T, dir string){
		func(*testing.T, string) {},
		func(t *testing.T, dir string) { testKey(t, dir) }, // a new key, nothing signed
		func(t *testing.T, dir string) { // signed, the key not settled
			k := testKey(t, dir)
			h, err := readHead(headFile(filepath.Join(dir, LogName)))
			if err != nil {
				t.Fatal(err)
			}
			if err := writeHead(headFile(filepath.Join(dir, LogName)), newHead(k, point{}, state{h.N, h.Hash})); err != nil {
				t.Fatal(err)
			}
		},
	}
	for i, killed := range steps {
		dir := t.TempDir()
		earlier(t, dir)
		killed(t, dir)
		_, rep, open := openLog(t, dir)
		if !rep.OK || len(open) != 1 {
			t.Errorf("step %d: %+v, %v", i, rep, open)
		}
		if rep, err := Verify(filepath.Join(dir, LogName), testKey(t, dir).Public(), nil); err != nil || !rep.OK || rep.Key == "" {
			t.Errorf("step %d: %+v, %v", i, rep, err)
		}
	}
	dir := t.TempDir()
	fill(t, dir, 1)
	earlier(t, dir)
	if _, rep, _ := openLog(t, dir); rep.OK {
		t.Error("a log of version 1 was taken for this computer's")
	}
}

func TestKeyIsPrivateAndStays(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	info, err := os.Stat(filepath.Join(dir, KeyName))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info, err)
	}
	first := testKey(t, dir)
	if a, b := first.Digest("x"), testKey(t, dir).Digest("x"); a != b || len(a) != 32 || a == testKey(t, t.TempDir()).Digest("x") {
		t.Errorf("digests %s and %s", a, b)
	}
	write(t, filepath.Join(dir, KeyName), []byte("???"))
	_, rep, _ := openLog(t, dir)
	if rep.OK || rep.Reason != errOtherKey.Error() {
		t.Errorf("with a damaged key: %+v", rep)
	}
	if _, err := os.Stat(filepath.Join(dir, KeyName+".damaged")); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, KeyName+"*"))
	if err != nil || len(left) != 2 {
		t.Errorf("left: %v", left)
	}
}

// Old records go, the head says so, and what is left holds. Killing the program between the head
// and the file leaves a log that holds, too.
func TestOldRecordsExpire(t *testing.T) {
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		file := filepath.Join(dir, LogName)
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		days := 30
		open := func() *Log {
			l, rep, _, err := Open(dir, Options{Key: testKey(t, dir), Days: func() int { return days }, Now: func() time.Time { return now }})
			if err != nil || !rep.OK {
				t.Fatalf("%+v, %v", rep, err)
			}
			return l
		}
		l := open()
		add := func() {
			if err := l.Append(Record{Event: EventDecision, Task: "t"}); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			add()
			now = now.Add(48 * time.Hour)
		}
		before := read(t, file)
		now = now.Add(5 * 24 * time.Hour)
		add()
		if killed { // the file is as it was; the head is not, and one record more is there
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			lines := bytes.SplitAfter(read(t, file), []byte("\n"))
			write(t, file, append(before, bytes.Join(lines[len(lines)-3:], nil)...))
			l = open()
			add()
		}
		rep, err := l.Verify()
		if err != nil || !rep.OK || rep.First < 8 {
			t.Errorf("killed %t: %+v, %v", killed, rep, err)
		}
		p, err := l.Records(t.Context(), Filter{})
		if err != nil || len(p.Records) < 10 {
			t.Errorf("%d records, %v", len(p.Records), err)
		}
		for _, r := range p.Records {
			if r.Time.Before(now.Add(-31 * 24 * time.Hour)) {
				t.Errorf("kept: %+v", r)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		l = open()
		days = 0
		add()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A clock that is years ahead removes nothing at once, also when the program is started again
// with it; once it went on for a day it is believed. One that is set right loses nothing.
func TestClockAheadKeepsRecords(t *testing.T) {
	for _, wrong := range []bool{true, false} {
		dir := t.TempDir()
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		add := func() {
			t.Helper()
			l, rep, _, err := Open(dir, Options{Key: testKey(t, dir), Days: func() int { return 365 }, Now: func() time.Time { return now }})
			if err != nil || !rep.OK {
				t.Fatalf("%+v, %v", rep, err)
			}
			if err := errors.Join(l.Append(Record{Event: EventDecision}), l.Close()); err != nil {
				t.Fatal(err)
			}
		}
		first := func() int64 {
			t.Helper()
			rep, err := Verify(filepath.Join(dir, LogName), nil, nil)
			if err != nil || !rep.OK {
				t.Fatalf("%+v, %v", rep, err)
			}
			return rep.First
		}
		for range 10 {
			add()
			now = now.Add(24 * time.Hour)
		}
		today := now
		for range 3 {
			now = time.Date(2036, 1, 1, now.Hour()+1, 0, 0, 0, time.UTC)
			add()
			if first() != 1 {
				t.Fatalf("wrong %t: the records before %d are gone", wrong, first())
			}
		}
		if wrong {
			now = today.Add(24 * time.Hour)
		} else {
			now = now.Add(25 * time.Hour)
		}
		add()
		if gone := first() > 10; gone == wrong {
			t.Errorf("wrong %t: the log begins with %d", wrong, first())
		}
	}
}

// A log that is too large loses its beginning, not its end.
func TestLargeLogLosesItsBeginning(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	var data []byte
	at := genesis()
	for range maxBytes>>20 + 2 {
		line, err := seal(Record{V: 2, N: at.n + 1, Prev: at.prev, Time: time.Now(), Begin: Begin{Program: long}})
		if err != nil {
			t.Fatal(err)
		}
		data, at = append(append(data, line...), '\n'), state{n: at.n + 1, prev: hash(line)}
	}
	rest, from, dropped := firstKept(data, time.Time{})
	if len(rest) > keptBytes || len(rest) < keptBytes-2<<20 || from.N != int64(dropped)+1 || !bytes.HasSuffix(data, rest) {
		t.Errorf("%d bytes from %d, %d dropped", len(rest), from.N, dropped)
	}
	if rest, _, dropped := firstKept(data[:10<<20], time.Time{}); dropped != 0 || len(rest) != 10<<20 {
		t.Errorf("%d dropped of a small log", dropped)
	}
}

// A head that cannot be written stops the next record, and not the log.
func TestHeadThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := openLog(t, dir)
	head := headFile(l.file)
	if err := os.Remove(head); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(head, "x"), 0o700); err != nil { // in its way
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Append(Record{Event: EventDecision}); err == nil {
			t.Error("appended without a head")
		}
	}
	if err := os.RemoveAll(head); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(Record{Event: EventDecision}); err != nil {
		t.Fatal(err)
	}
	if rep, err := l.Verify(); err != nil || !rep.OK || rep.Records != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestExportVerifiesElsewhere(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	l, _, _ := openLog(t, dir)
	out, err := l.Export()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	good, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	own := l.Public()
	other := testKey(t, t.TempDir()).Public()
	rows := []struct {
		name string
		data []byte
		key  PublicKey
		bad  int64
	}{
		{"as it is", good, own, 0},
		{"whoever signed it", good, nil, 0},
		{"another computer's", good, other, 6},
		{"cut off", good[:len(good)-200], own, 6},
		{"a line gone", append(bytes.Clone(good[:len(good)/3]), good[len(good)/2:]...), own, 0 - 1},
		{"the head gone", good[bytes.IndexByte(good, '\n')+1:], own, -1},
		{"nothing", nil, own, -1},
		{"something else", []byte("PK\x03\x04 hello"), own, -1},
	}
	for _, r := range rows {
		rep, err := VerifyExport(bytes.NewReader(r.data), r.key)
		if err != nil || rep.OK != (r.bad == 0) || r.bad > 0 && rep.BadLine != r.bad {
			t.Errorf("%s: %+v, %v", r.name, rep, err)
		}
	}
}

// An export of a log in which nothing stands yet says so, and stays empty.
func TestExportOfNothing(t *testing.T) {
	l, _, _ := openLog(t, t.TempDir())
	out, err := l.Export()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	data, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := VerifyExport(bytes.NewReader(data), l.Public()); err != nil || !rep.OK || rep.Records != 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	line, err := seal(Record{V: 2, N: 1, Prev: genesis().prev})
	if err != nil {
		t.Fatal(err)
	}
	two, err := seal(Record{V: 2, N: 2, Prev: hash(line)})
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := VerifyExport(bytes.NewReader(slices.Concat(data, line, []byte("\n"), two, []byte("\n"))), l.Public()); err != nil || rep.OK {
		t.Errorf("with lines added: %+v, %v", rep, err)
	}
}

func TestRecordsAreFound(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := openLog(t, dir)
	diary := l.Digest("/home/kim/Diary")
	for _, r := range []Record{
		{Event: EventBegin, Task: "a", Client: "ci@1", Begin: Begin{Folders: []Folder{{diary, "ro"}}, In: l.Digests([]string{"/folders/Diary/x"})}},
		{Event: EventEnd, Task: "a", Client: "ci@1"},
		{Event: EventTraffic, Task: "b", Traffic: Traffic{Host: "example.org"}},
		{Event: EventDecision, Task: "b", Request: "r1", Decision: Decision{Folder: diary}},
	} {
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	rows := []struct {
		f    Filter
		want string
	}{
		{Filter{}, "[4 3 2 1]"}, {Filter{Task: "a"}, "[2 1]"}, {Filter{Client: "ci@1", Event: EventBegin}, "[1]"},
		{Filter{Request: "r1"}, "[4]"}, {Filter{About: "/home/kim/Diary"}, "[4 1]"}, {Filter{About: "/folders/Diary/x"}, "[1]"},
		{Filter{About: "example.org"}, "[3]"}, {Filter{About: "/home/kim"}, "[]"}, {Filter{Before: 3}, "[2 1]"},
		{Filter{Since: time.Now().Add(time.Hour)}, "[]"},
	}
	numbers := func(p Page) string {
		out := []int64{}
		for _, r := range p.Records {
			out = append(out, r.N)
		}
		data, _ := json.Marshal(out)
		return strings.ReplaceAll(string(data), ",", " ")
	}
	for _, r := range rows {
		if p, err := l.Records(t.Context(), r.f); err != nil || numbers(p) != r.want {
			t.Errorf("%+v: %s, %v", r.f, numbers(p), err)
		}
	}
	p, err := l.Records(t.Context(), Filter{Limit: 3})
	if err != nil || numbers(p) != "[4 3 2]" || p.Before != 2 {
		t.Errorf("%+v %v", p, err)
	}
	if p, err = l.Records(t.Context(), Filter{Limit: 3, Before: p.Before}); err != nil || numbers(p) != "[1]" || p.Before != 0 {
		t.Errorf("%+v %v", p, err)
	}
}

func TestProgram(t *testing.T) {
	for arg, want := range map[string]string{
		"grep": "grep", "/usr/bin/python3.13": "python3.13", "/bin/sh": "sh", "./letter to kim": "", "/folders/Diary/love.sh": "",
		"/usr/bin/a b": "", "": "", "/usr/../folders/x y": "",
	} {
		if got := Program(arg); got != want {
			t.Errorf("%q: %q", arg, got)
		}
	}
}

func TestOCSF(t *testing.T) {
	one := 1
	rows := []struct {
		r     Record
		kind  int
		holds string
	}{
		{Record{Event: EventBegin, Exec: "t/1", Begin: Begin{Program: "grep"}}, 100701, `"process":{"name":"grep","uid":"t/1"}`},
		{Record{Event: EventBegin, Begin: Begin{Domain: "vm"}}, 100701, `"device":{"type_id":6,"name":"vm"}`},
		{Record{Event: EventBegin, Begin: Begin{Domain: "container"}}, 100701, `"device":{"type_id":6,"name":"container"}`},
		{Record{Event: EventBegin, Begin: Begin{Domain: "host"}}, 100701, `"device":{"type_id":0,"name":"host"}`}, // no virtual one
		{Record{Event: EventBegin, Begin: Begin{Domain: "remote"}}, 100701, `"device":{"type_id":0,"name":"remote"}`},
		{Record{Event: EventEnd, Exec: "t/1", Ending: Ending{Exit: &one, WallMS: 5}}, 100702, `"status_id":2`},
		{Record{Event: EventDecision, Client: "ci@1", Decision: Decision{Answer: "allow", By: "program", Topic: "delete"}}, 300301, `"user":{"name":"program","uid":"ci@1"}`},
		{Record{Event: EventDecision, Decision: Decision{Answer: "deny", By: "person"}}, 300399, `"status_id":2`},
		{Record{Event: EventFolder, Decision: Decision{Topic: "added", By: "person"}}, 300301, `"privileges":["added"]`},
		{Record{Event: EventFolder, Decision: Decision{Topic: "removed", By: "person"}}, 300399, `"privileges":["removed"]`},
		{Record{Event: EventTraffic, Traffic: Traffic{Host: "example.org", Port: 443, BytesOut: 2, BytesIn: 3}}, 400106, `"traffic":{"bytes_out":2,"bytes_in":3,"bytes":5}`},
		{Record{Event: EventBroken, Reason: "x"}, 99, `"severity_id":4`},
	}
	for _, r := range rows {
		data, err := json.Marshal(r.r.OCSF())
		if e := r.r.OCSF(); err != nil || e.Type != r.kind || !strings.Contains(string(data), r.holds) {
			t.Errorf("%s: %d, %s, %v", r.r.Event, e.Type, data, err)
		}
	}
}

// Who reads an export slowly holds up no task, and gets the log as it was.
func TestSlowExportHoldsUpNothing(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	l, _, _ := openLog(t, dir)
	out, err := l.Export()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := l.Append(Record{Event: EventDecision}); err != nil {
		t.Error(err)
	}
	if rep, err := VerifyExport(out, l.Public()); err != nil || !rep.OK || rep.Records != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
}

// Of a log that somebody deletes while the program runs, the head says that it does not hold.
func TestDeletedUnderTheProgram(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2)
	l, _, _ := openLog(t, dir)
	if err := os.Remove(filepath.Join(dir, LogName)); err != nil {
		t.Fatal(err)
	}
	if rep, err := l.Verify(); err != nil || rep.OK || rep.BadLine != 1 || rep.Reason != errMissing.Error() {
		t.Errorf("%+v %v", rep, err)
	}
	if p, err := l.Records(t.Context(), Filter{}); err != nil || len(p.Records) != 0 || p.BadLine != 1 {
		t.Errorf("%+v %v", p, err)
	}
	out, err := l.Export()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if rep, err := VerifyExport(out, nil); err != nil || rep.OK || rep.Reason != errMissing.Error() {
		t.Errorf("the export: %+v %v", rep, err)
	}
}

// What somebody writes behind the log while the program runs, and an older log with its head that
// takes its place, show at once.
func TestForgedUnderTheProgram(t *testing.T) {
	for name, row := range map[string]struct {
		forge  func(log string, old, data, head []byte)
		reason error
	}{
		"one line behind the end": {func(log string, _, data, _ []byte) {
			last := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
			line, err := seal(Record{V: 2, N: int64(len(last)) + 1, Prev: hash(last[len(last)-1]), Event: EventDecision})
			if err != nil {
				t.Fatal(err)
			}
			write(t, log, append(append(data, line...), '\n'))
		}, errBehind},
		"an older log with its head": {func(log string, old, _, head []byte) {
			write(t, log, old)
			write(t, headFile(log), head)
		}, errMissing},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 1)
			l, _, _ := openLog(t, dir)
			old, head := read(t, l.file), read(t, headFile(l.file))
			if err := l.Append(Record{Event: EventDecision}); err != nil {
				t.Fatal(err)
			}
			row.forge(l.file, old, read(t, l.file), head)
			if rep, err := l.Verify(); err != nil || rep.OK || rep.Reason != row.reason.Error() {
				t.Errorf("%+v, %v", rep, err)
			}
			if p, err := l.Records(t.Context(), Filter{}); err != nil || p.BadLine == 0 {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}
