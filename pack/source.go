package pack

import (
	"crypto/sha256"
	"os"
	"path/filepath"

	"piwork/pack/spec"
)

// source is a directory that may have chunks of a pack: an installed version, or
// one that is being assembled. Nothing in it is believed.
type source struct {
	root   *os.Root
	index  *spec.ChunkIndex
	layout *layout
}

// read reads a chunk of the source into buf, which grows at need, and reports
// whether it is what the index says.
func (s *source) read(i int, buf []byte) ([]byte, bool) {
	c := s.index.Chunks[i]
	buf = grow(buf, c.Size)
	for p, err := range s.layout.pieces(s.index.Body[i], c.Size) {
		if err != nil {
			return buf, false
		}
		if p.file < 0 {
			copy(buf[p.from:p.to], p.literal)
			continue
		}
		if !s.readFile(s.layout.files[p.file].Path, p.off, buf[p.from:p.to]) {
			return buf, false
		}
	}
	return buf, sha256.Sum256(buf) == c.Sum
}

func (s *source) readFile(name string, off int64, b []byte) bool {
	if len(b) == 0 {
		return true
	}
	name = filepath.FromSlash(name)
	if info, err := s.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe would block
	}
	f, err := s.root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	n, _ := f.ReadAt(b, off) // an error comes with fewer bytes
	return n == len(b)
}

// Plan says what an assembly would take, as far as that can be known without
// reading the content of anything.
type Plan struct {
	Fetch int64 // bytes to fetch, packed
	Disk  int64 // bytes that the new version takes, with a reserve
}

// Plan compares the pack with installed versions. What an unfinished assembly has
// in place is not known to it: see [Assembly.Missing].
func (h *Head) Plan(from ...*Installed) Plan {
	have := map[[sha256.Size]byte]bool{}
	for _, in := range from {
		x, _, err := indexOf(in)
		if err != nil {
			continue // nothing can be taken from it
		}
		for _, c := range x.Chunks {
			have[c.Sum] = true
		}
	}
	p := Plan{Disk: int64(need(h.Manifest)) + spaceReserve}
	for _, c := range h.Chunks.Chunks {
		if !have[c.Sum] { // or counted
			have[c.Sum] = true
			p.Fetch += c.Packed
		}
	}
	return p
}
