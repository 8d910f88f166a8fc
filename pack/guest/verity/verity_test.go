package verity

import (
	"strings"
	"testing"
)

var (
	hash = strings.Repeat("0a", 32)
	salt = strings.Repeat("0b", 32)
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Params
		ok   bool
	}{
		{hash + ":" + salt + ":300", Params{hash, salt, 300}, true},
		{hash + "::1", Params{hash, "", 1}, true},
		{"", Params{}, false},
		{hash, Params{}, false},
		{hash + ":" + salt, Params{}, false},
		{hash + ":" + salt + ":300:1", Params{}, false},
		{hash[1:] + ":" + salt + ":300", Params{}, false},
		{hash[2:] + ":" + salt + ":300", Params{}, false},
		{hash + "00:" + salt + ":300", Params{}, false},
		{"x" + hash[1:] + ":" + salt + ":300", Params{}, false},
		{hash + ":" + salt + "00:300", Params{}, false},
		{hash + ":- 1 ignore_corruption:300", Params{}, false},
		{hash + ":" + salt + ":0", Params{}, false},
		{hash + ":" + salt + ":-1", Params{}, false},
		{hash + ":" + salt + ":+1", Params{}, false},
		{hash + ":" + salt + ":0x10", Params{}, false},
		{hash + ":" + salt + ":300 1", Params{}, false},
		{hash + ":" + salt + ":9999999999999999999999", Params{}, false},
		{hash + ":" + salt + ":268435457", Params{}, false},
	} {
		got, err := Parse(tt.text)
		if (err == nil) != tt.ok || tt.ok && got != tt.want {
			t.Errorf("%q: %+v, %v", tt.text, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(hash + ":" + salt + ":300")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			return
		}
		if words := strings.Fields(p.table("/dev/vda")); len(words) != 13 || words[8] != p.RootHash {
			t.Errorf("%q gives the table %q", s, words)
		}
	})
}

// The numbers are those of pack/image/verity, whose tests have them from
// veritysetup.
func TestBlocks(t *testing.T) {
	for data, tree := range map[int64]int64{1: 0, 2: 1, 128: 1, 129: 3, 300: 4, 16384: 129, 16385: 132} {
		if got := (Params{DataBlocks: data}).blocks(); got != data+tree {
			t.Errorf("%d data blocks: %d in all", data, got)
		}
	}
}

func TestTable(t *testing.T) {
	const want = "1 /dev/vda /dev/vda 4096 4096 300 300 sha256 "
	if got := (Params{hash, salt, 300}).table("/dev/vda"); got != want+hash+" "+salt+" 2 panic_on_corruption panic_on_error" {
		t.Errorf("%s", got)
	}
	if got := (Params{hash, "", 300}).table("/dev/vda"); got != want+hash+" - 2 panic_on_corruption panic_on_error" {
		t.Errorf("%s", got)
	}
}
