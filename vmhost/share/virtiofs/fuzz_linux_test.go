package virtiofs

import (
	"bytes"
	"encoding/binary"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"piwork/vmhost/share"
	"piwork/vmhost/share/journal"
)

// FuzzRequests sends a mount what a guest may: requests one after the other,
// each a length of 16 bits and so many bytes, cut in two anywhere. Every reply
// is one, nothing fails inside, and outside of the folder is as it was.
func FuzzRequests(f *testing.F) {
	base := f.TempDir()
	must := func(err error) {
		if err != nil {
			f.Fatal(err)
		}
	}
	secret, dir := filepath.Join(base, "secret"), filepath.Join(base, "d")
	must(os.Mkdir(dir, 0o755))
	must(os.WriteFile(secret, []byte("secret"), 0o600))
	j, err := journal.Open(filepath.Join(f.TempDir(), "journal"), journal.Options{})
	must(err)
	f.Cleanup(func() { j.Close() })
	le := binary.LittleEndian
	req := func(op uint32, node uint64, body ...byte) []byte {
		b := make([]byte, inHead, inHead+len(body))
		b = append(b, body...)
		le.PutUint32(b, uint32(len(b)))
		le.PutUint32(b[4:], op)
		le.PutUint64(b[16:], node)
		return append(le.AppendUint16(nil, uint16(len(b))), b...)
	}
	u32 := func(v ...uint32) (b []byte) {
		for _, x := range v {
			b = le.AppendUint32(b, x)
		}
		return b
	}
	lookup := append(req(1, 1, []byte("d\x00")...), req(1, 2, []byte("f\x00")...)...)
	f.Add(lookup, 7)
	f.Add(append(lookup, req(14, 3, u32(2, 0)...)...), 41)
	f.Add(append(append(lookup, req(14, 3, u32(2, 0)...)...), req(16, 3, append(u32(1, 0, 0, 0, 2, 0, 0, 0, 0, 0), "xy"...)...)...), 80)
	f.Add(append(lookup, req(35, 2, append(u32(2, 0o644, 0, 0), "n\x00"...)...)...), 3)
	f.Add(append(lookup, req(45, 2, append(u32(2, 0, 0, 0), "f\x00g\x00"...)...)...), 3)
	f.Add(append(append(lookup, req(27, 2, u32(0, 0)...)...), req(44, 2, u32(1, 0, 0, 0, 4096, 0, 0, 0, 0, 0)...)...), 3)
	f.Add(append(lookup, req(4, 3, make([]byte, 88)...)...), 3)
	f.Add(append(lookup, req(6, 2, []byte("l\x00../secret\x00")...)...), 3)
	f.Add(append(append(append(lookup, req(opSetxattr, 3, append(u32(3, 0), "user.x\x00abc"...)...)...),
		req(opGetxattr, 3, append(u32(9, 0), "user.x\x00"...)...)...), append(req(opListxattr, 3, u32(0, 0)...), req(24, 3, []byte("user.x\x00")...)...)...), 9)
	f.Add(append(append(lookup, req(51, 2, append(u32(2, 0o600, 0, 0), "#1\x00"...)...)...), req(13, 2, append(u32(4, 0), "named\x00"...)...)...), 9)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		// Emptied, not made anew: the journal refuses another folder at its path.
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, p := range left {
			_ = os.RemoveAll(p)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
		set := share.NewSet(share.Options{MaxOpen: 10})
		defer set.Close()
		if _, err := set.Add(share.Folder{ID: "1", Path: dir}, j); err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		s := &server{set: set, log: slog.New(slog.NewTextHandler(&logged, nil))}
		room := make([]byte, 8<<10)
		s.handle([][]byte{req(opInit, 0, append(u32(7, 41, 4096, 0, 0), make([]byte, 44)...)...)[2:]}, [][]byte{room})
		for range 20 {
			if len(b) < 2 {
				break
			}
			n := min(int(le.Uint16(b)), len(b)-2)
			one := b[2 : 2+n]
			b = b[2+n:]
			at := int(uint(cut) % uint(n+1))
			reply, wrote := s.handle([][]byte{one[:at], one[at:]}, [][]byte{room[:16], room[16:]})
			if reply == nil {
				reply = room[:wrote]
			}
			if len(reply) > 0 && (len(reply) < outHead || int(le.Uint32(reply)) != len(reply)) {
				t.Fatalf("a reply that is none: %x", reply[:min(len(reply), 64)])
			}
		}
		if m := s.session.Load(); m != nil {
			m.close()
		}
		if logged.Len() > 0 {
			t.Fatalf("logged: %s", logged.String())
		}
		if c, err := os.ReadFile(secret); string(c) != "secret" {
			t.Fatalf("outside: %q %v", c, err)
		}
		if list, err := os.ReadDir(base); len(list) != 2 {
			t.Fatalf("outside: %v %v", list, err)
		}
	})
}
