package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func openLog(t *testing.T, dir string) (*Log, Report, []Record) {
	t.Helper()
	l, rep, open, err := Open(dir, Options{Key: testKey(t, dir)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, rep, open
}

// testKey is the key of the computer that a log is of.
func testKey(t testing.TB, dir string) *Key {
	t.Helper()
	k, err := OpenKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// fill writes a log of n executions and closes it.
func fill(t *testing.T, dir string, n int) {
	t.Helper()
	l, _, _ := openLog(t, dir)
	for i := range n {
		exec, code := fmt.Sprint("t/", i), i
		for _, r := range []Record{
			{Event: EventBegin, Exec: exec, Task: "t", Begin: Begin{Action: "exec", Program: "echo", Hosts: []string{`,"sum":"x"`, "\n"}, Runtime: "vm", Isolation: "hardware", Domain: "vm", Folders: []Folder{{"/home/kim/Fotos ä", "ro"}}, Network: "off"}},
			{Event: EventEnd, Exec: exec, Task: "t", Ending: Ending{Exit: &code}},
		} {
			if err := l.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestChainHolds(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	fill(t, dir, 2) // goes on where it was
	var records []Record
	rep, err := Verify(filepath.Join(dir, LogName), testKey(t, dir).Public(), func(r Record) { records = append(records, r) })
	if err != nil || !rep.OK || rep.Records != 10 || len(records) != 10 {
		t.Fatalf("%+v, %d records, %v", rep, len(records), err)
	}
	if records[0].Prev != hash([]byte(Genesis)) || records[9].N != 10 || records[0].Time.IsZero() {
		t.Errorf("first %+v", records[0])
	}
	if rep, err := Verify(filepath.Join(t.TempDir(), LogName), testKey(t, dir).Public(), nil); err != nil || rep.OK || rep.Reason != errNoHead.Error() {
		t.Errorf("no log: %+v, %v", rep, err)
	}
}

// Every kind of tampering shows, at its line.
func TestVerifyFindsTheFirstBadLine(t *testing.T) {
	lines := func(data []byte) [][]byte { return bytes.SplitAfter(data, []byte("\n")) }
	join := func(l [][]byte) []byte { return bytes.Join(l, nil) }
	rows := []struct {
		name  string
		spoil func([]byte) []byte
		line  int64
	}{
		{"a word changed", func(d []byte) []byte { return bytes.Replace(d, []byte(`"ro"`), []byte(`"rw"`), 1) }, 1},
		{"the last line changed", func(d []byte) []byte {
			l := lines(d)
			l[5] = bytes.Replace(l[5], []byte(`"exit":2`), []byte(`"exit":0`), 1)
			return join(l)
		}, 6},
		{"a line resealed", func(d []byte) []byte {
			l := lines(d)
			var r Record
			if err := json.Unmarshal(l[2], &r); err != nil {
				panic(err)
			}
			r.Program = "true"
			sealed, err := seal(r)
			if err != nil {
				panic(err)
			}
			l[2] = append(sealed, '\n')
			return join(l)
		}, 4},
		{"a line gone", func(d []byte) []byte { return join(slices.Delete(lines(d), 2, 3)) }, 3},
		{"the first line gone", func(d []byte) []byte { return join(lines(d)[1:]) }, 1},
		{"the last line gone", func(d []byte) []byte { return join(lines(d)[:5]) }, 6},
		{"all lines gone", func([]byte) []byte { return nil }, 1},
		{"two lines swapped", func(d []byte) []byte {
			l := lines(d)
			l[1], l[2] = l[2], l[1]
			return join(l)
		}, 2},
		{"a line twice", func(d []byte) []byte { return join(slices.Insert(lines(d), 2, lines(d)[1])) }, 3},
		{"a line between", func(d []byte) []byte { return join(slices.Insert(lines(d), 2, []byte("{}\n"))) }, 3},
		{"an empty line", func(d []byte) []byte { return join(slices.Insert(lines(d), 4, []byte("\n"))) }, 5},
		{"cut off", func(d []byte) []byte { return d[:len(d)-1] }, 6},
		{"cut off in a line", func(d []byte) []byte { return d[:len(d)-30] }, 6},
		{"something behind", func(d []byte) []byte { return append(d, "x"...) }, 7},
		{"a member behind the sum", func(d []byte) []byte { return bytes.Replace(d, []byte("\"}\n"), []byte("\",\"x\":1}\n"), 1) }, 1},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			fill(t, dir, 3)
			file := filepath.Join(dir, LogName)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, r.spoil(data), 0o600); err != nil {
				t.Fatal(err)
			}
			rep, err := Verify(file, testKey(t, dir).Public(), nil)
			if err != nil || rep.BadLine != r.line || rep.Reason == "" {
				t.Errorf("%+v, %v; want line %d", rep, err, r.line)
			}
			// It still shows after the program went on.
			fill(t, dir, 1)
			if rep, err := Verify(file, testKey(t, dir).Public(), nil); (err != nil || rep.OK) && r.name != "something behind" {
				t.Errorf("after more records: %+v, %v", rep, err)
			}
		})
	}
}

// A flipped bit shows, wherever it is.
func TestVerifyFindsEveryFlippedBit(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	file := filepath.Join(dir, LogName)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if rep, err := Verify(file, testKey(t, dir).Public(), nil); err != nil || rep.OK {
			t.Fatalf("byte %d: %+v, %v", i, rep, err)
		}
	}
}

func TestDamagedHead(t *testing.T) {
	for _, content := range []string{"", "garbage", `{"n":0}`, `{"n":2,"hash":"00"}`} {
		dir := t.TempDir()
		fill(t, dir, 1)
		if err := os.WriteFile(headFile(filepath.Join(dir, LogName)), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		l, rep, _ := openLog(t, dir) // the program still starts
		if rep.OK || rep.BadLine != 2 {
			t.Errorf("%q: %+v", content, rep)
		}
		if err := l.Append(Record{Event: EventDecision}); err != nil {
			t.Error(err)
		}
	}
}

// Lines that were taken from the end show also when the head went with them.
func TestMissingHead(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3)
	if err := os.Remove(headFile(filepath.Join(dir, LogName))); err != nil {
		t.Fatal(err)
	}
	if rep, err := Verify(filepath.Join(dir, LogName), testKey(t, dir).Public(), nil); err != nil || rep.OK || rep.Reason != errNoHead.Error() {
		t.Errorf("%+v %v", rep, err)
	}
}

func TestTornTailIsRecovered(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1)
	file := filepath.Join(dir, LogName)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const half = `{"v":1,"n":3,"ti`
	if err := os.WriteFile(file, append(data, half...), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _, _ := openLog(t, dir)
	var last Record
	rep, err := Verify(file, testKey(t, dir).Public(), func(r Record) { last = r })
	if err != nil || !rep.OK || last.Event != EventRecovered || last.Dropped != len(half) || last.N != 3 {
		t.Errorf("%+v, last %+v, %v", rep, last, err)
	}
	if rep, err := l.Verify(); err != nil || !rep.OK {
		t.Errorf("%+v, %v", rep, err)
	}
}

// A crash between a line and its head leaves a log that holds.
func TestHeadMayLagBehindByOneLine(t *testing.T) {
	for more, ok := range []bool{1: true, 2: false} {
		dir := t.TempDir()
		fill(t, dir, 1)
		file := headFile(filepath.Join(dir, LogName))
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, _, _ := openLog(t, dir)
		for range more {
			if err := l.Append(Record{Event: EventDecision}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, old, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, rep, _ := openLog(t, dir); rep.OK != (ok || more == 0) {
			t.Errorf("%d lines behind the head: %+v", more, rep)
		}
	}
}

func TestUnfinishedExecutions(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := openLog(t, dir)
	for _, r := range []Record{
		{Event: EventBegin, Exec: "a/1", Task: "a"},
		{Event: EventBegin, Exec: "b/1", Task: "b"},
		{Event: EventEnd, Exec: "a/1", Task: "a"},
		{Event: EventDecision, Task: "b"},
		{Event: EventBegin, Exec: "a/2", Task: "a"},
	} {
		if err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, open := openLog(t, dir)
	if len(open) != 2 || open[0].Exec != "b/1" || open[0].Task != "b" || open[1].Exec != "a/2" || open[1].Task != "a" {
		t.Errorf("%v", open)
	}
}

func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := openLog(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				if err := l.Append(Record{Event: EventBegin, Exec: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
			}
			if _, err := l.Verify(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if rep, err := l.Verify(); err != nil || !rep.OK || rep.Records != 80 {
		t.Errorf("%+v, %v", rep, err)
	}
}
