package mcp

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"piwork/app/actions"
	"piwork/vmhost/wire"
)

// Whoever reads a file on from where the last piece ended has all of it; a text is text in each
// piece, however long its letters are.
func TestReadOn(t *testing.T) {
	for name, file := range map[string]string{
		"German": strings.Repeat("Tür ", 40000), "Chinese": strings.Repeat("漢字", 30000), "pictures": strings.Repeat("a😀", 30000),
		"nothing": "", "another encoding": strings.Repeat("T\xfcr ", 9), "bytes": "\x80\x80\x80\x80\x80\xff\x00", "cut at its end": "ab\xc3",
	} {
		text := utf8.ValidString(file)
		for _, length := range []int{utf8.UTFMax, utf8.UTFMax + 1, 7, maxText - 1, maxText} {
			var got strings.Builder
			for at := int64(0); ; {
				data := file[at:min(len(file), int(at)+length)]
				out := piece(actions.FileContent{FileInfo: wire.FileInfo{Size: int64(len(file))}, Data: []byte(data)}, at)
				raw, err := base64.StdEncoding.DecodeString(out.Base64)
				if err != nil || out.Offset != at || text && out.Base64 != "" {
					t.Fatalf("%s, %d at a time: %+v, %v", name, length, out, err)
				}
				got.WriteString(out.Text + string(raw))
				if out.Next == 0 {
					break
				}
				if out.Next <= at {
					t.Fatalf("%s, %d at a time: it stays at %d", name, length, at)
				}
				at = out.Next
			}
			if got.String() != file {
				t.Errorf("%s, %d at a time: %d bytes of %d", name, length, got.Len(), len(file))
			}
		}
	}
}

// A piece of a text from anywhere begins and ends with whole letters, and says where.
func TestReadFromAnywhere(t *testing.T) {
	const file = "aä漢😀z"
	for at := range len(file) {
		for end := at + utf8.UTFMax; end <= len(file); end++ {
			out := piece(actions.FileContent{FileInfo: wire.FileInfo{Size: int64(len(file))}, Data: []byte(file[at:end])}, int64(at))
			to := int(out.Offset) + len(out.Text)
			if out.Base64 != "" || out.Text != file[out.Offset:to] || !utf8.ValidString(out.Text) || out.Offset-int64(at) > 3 || end-to > 3 || to < len(file) && out.Next != int64(to) {
				t.Errorf("%d to %d: %+v", at, end, out)
			}
		}
	}
}
