package qemu

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzStateHeader: what is read as the header of a state may be any file. What
// is taken for one says what it says, and is not for a machine that it does not
// name.
func FuzzStateHeader(f *testing.F) {
	header := func(s string) []byte { return append([]byte(s), make([]byte, stateHeader)...) }
	f.Add(header(`{"v":1,"machine":"x","memory":1,"size":1,"sha256":"00"}` + "\n"))
	f.Add(header("{}\n"))
	f.Add(header(`{"v":1`))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		info, err := readHeader(bytes.NewReader(b))
		if err != nil {
			return
		}
		if len(b) < stateHeader {
			t.Errorf("a header of %d bytes", len(b))
		}
		line, _, _ := bytes.Cut(b, []byte{'\n'})
		var again stateInfo
		if json.Unmarshal(line, &again) != nil || again != info {
			t.Errorf("%q is %+v", line, info)
		}
	})
}
