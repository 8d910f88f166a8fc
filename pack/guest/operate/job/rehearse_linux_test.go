package job

import (
	"os"
	"testing"
)

// What is done beforehand works, and leaves nothing open.
func TestRehearse(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	if err := Rehearse(); err != nil { // opens what the process keeps
		t.Fatal(err)
	}
	before := open()
	if err := Rehearse(); err != nil {
		t.Fatal(err)
	}
	if after := open(); after != before {
		t.Errorf("%d files are open, %d were", after, before)
	}
}
