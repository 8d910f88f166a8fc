package operate

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// sevenZipOf makes a 7z archive of stored files, shorter than 128 bytes each, as 7-Zip
// does with -mx0. With a password they are encrypted; stored is what the archive holds
// of them then.
func sevenZipOf(password string, files ...packed) (archive []byte, stored int) {
	var all, names, sizes, sums []byte
	for i, f := range files {
		all = append(all, f.body...)
		for _, c := range append(utf16.Encode([]rune(f.name)), 0) {
			names = binary.LittleEndian.AppendUint16(names, c)
		}
		if i < len(files)-1 { // the last has the rest
			sizes = append(sizes, byte(len(f.body)))
		}
		sums = binary.LittleEndian.AppendUint32(sums, crc32.ChecksumIEEE([]byte(f.body)))
	}
	coder, size := []byte{0x01, 0x00}, byte(len(all)) // copy
	if password != "" {
		// AES-256: the password itself is the key (0x3F), there is one byte of the vector.
		coder = []byte{0x24, 0x06, 0xF1, 0x07, 0x01, 3, 0x40 | 0x3F, 0, 0}
		key := make([]byte, 32)
		for i, c := range utf16.Encode([]rune(password)) {
			binary.LittleEndian.PutUint16(key[2*i:], c)
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			panic(err)
		}
		all = append(all, make([]byte, -len(all)&(aes.BlockSize-1))...)
		cipher.NewCBCEncrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(all, all)
	}
	var h bytes.Buffer
	put := func(b ...byte) { h.Write(b) }
	put(0x01, 0x04)
	put(0x06, 0, 1, 0x09, byte(len(all)), 0)                        // one packed stream
	put(append([]byte{0x07, 0x0B, 1, 0, 1}, coder...)...)           // one folder of one coder
	put(0x0C, size, 0, 0x08, 0x0D, byte(len(files)))                // its size, and its files
	put(append(append([]byte{0x09}, sizes...), 0x0A, 1)...)         // sizes and checksums
	put(append(sums, 0, 0, 0x05, byte(len(files)))...)              //
	put(append([]byte{0x11, byte(len(names) + 1), 0}, names...)...) // names
	put(0, 0)
	start := binary.LittleEndian.AppendUint64(nil, uint64(len(all)))
	start = binary.LittleEndian.AppendUint64(start, uint64(h.Len()))
	start = binary.LittleEndian.AppendUint32(start, crc32.ChecksumIEEE(h.Bytes()))
	archive = binary.LittleEndian.AppendUint32([]byte("7z\xBC\xAF\x27\x1C\x00\x04"), crc32.ChecksumIEEE(start))
	return append(append(append(archive, start...), all...), h.Bytes()...), len(all)
}

// A file of a 7z archive that is not what was packed is told of, and not made: the
// library gives its bytes without a word.
func TestExtractDamaged7z(t *testing.T) {
	files := []packed{{name: "a.txt", body: "hello"}, {name: "b.txt", body: "a photo without compression"}}
	const head = 32 // bytes before the files
	for name, tt := range map[string]struct {
		password, given string
		spoil           func(b []byte, stored int)
		want, code      string
	}{
		"whole":            {"", "", nil, "a.txt=hello b.txt=a photo without comp", ""},
		"whole, encrypted": {"secret", "secret", nil, "a.txt=hello b.txt=a photo without comp", ""},
		"a flipped byte":   {"", "", func(b []byte, _ int) { b[head+10] ^= 1 }, "a.txt=hello", tools.InputBroken},
		"a wrong password": {"secret", "other", nil, "", tools.InputLocked},
		"a short stream": {"", "", func(b []byte, stored int) {
			b[head+stored+bytes.Index(b[head+stored:], []byte{0x06, 0, 1, 0x09})+4] -= 8 // what the folder has of it
			binary.LittleEndian.PutUint32(b[28:], crc32.ChecksumIEEE(b[head+stored:]))
			binary.LittleEndian.PutUint32(b[8:], crc32.ChecksumIEEE(b[12:head]))
		}, "a.txt=hello", tools.InputBroken},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			data, stored := sevenZipOf(tt.password, files...)
			if tt.spoil != nil {
				tt.spoil(data, stored)
			}
			out := filepath.Join(b.dir, "out")
			params := map[string]any{}
			if tt.given != "" {
				params["password"] = tt.given
			}
			r := b.run(t.Context(), wire.ToolParams{Op: "archive.extract", In: []string{b.file("a.7z", data)}, Out: out, Params: params})
			got := ""
			if _, err := os.Stat(out); err == nil {
				got = tree(t, out)
			}
			code := ""
			if len(r.Problems) > 0 {
				code = r.Problems[0].Code
			}
			if got != tt.want || code != tt.code {
				t.Errorf("made %q, %v; want %q, %q", got, r.Problems, tt.want, tt.code)
			}
			b.noneLeft()
		})
	}
}
