package verity

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// BlockSize is the size of data and hash blocks, in bytes.
const BlockSize = 4096

// MaxSalt is the longest salt, in bytes.
const MaxSalt = 32

// readSize is how much of the data is read at a time, in bytes.
const readSize = 256 * BlockSize

// Tree describes an image with its tree: what the kernel has to be told.
type Tree struct {
	Root       [sha256.Size]byte
	DataBlocks int64 // also the number of the first block of the tree
	HashBlocks int64
}

// Append fills the last block of the image in file with zeros and appends the
// tree for everything that was there. It must be called once for an image.
func Append(file string, salt []byte) (Tree, error) {
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return Tree{}, fmt.Errorf("verity: %w", err)
	}
	defer f.Close()
	t, err := appendTo(f, salt)
	if err != nil {
		return Tree{}, fmt.Errorf("verity: %s: %w", file, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return Tree{}, fmt.Errorf("verity: %w", err)
	}
	return t, nil
}

func appendTo(f *os.File, salt []byte) (Tree, error) {
	info, err := f.Stat()
	if err != nil {
		return Tree{}, err
	}
	blocks := (info.Size() + BlockSize - 1) / BlockSize
	if err := f.Truncate(blocks * BlockSize); err != nil {
		return Tree{}, err
	}
	t, levels, err := Sum(io.NewSectionReader(f, 0, blocks*BlockSize), blocks, salt)
	if err != nil {
		return Tree{}, err
	}
	at := blocks * BlockSize
	for _, l := range levels {
		if _, err := f.WriteAt(l, at); err != nil {
			return Tree{}, err
		}
		at += int64(len(l))
	}
	return t, nil
}

// Sum reads data of that many blocks and returns its tree, the levels from the
// top down as they follow the data.
func Sum(data io.Reader, blocks int64, salt []byte) (Tree, [][]byte, error) {
	switch {
	case blocks < 1:
		return Tree{}, nil, errors.New("an image of no blocks")
	case len(salt) > MaxSalt:
		return Tree{}, nil, fmt.Errorf("a salt of %d bytes, at most %d", len(salt), MaxSalt)
	}
	d := digester{salt: salt, h: sha256.New()}
	digests, err := d.stream(data, blocks)
	if err != nil {
		return Tree{}, nil, err
	}
	t := Tree{DataBlocks: blocks}
	var levels [][]byte
	for len(digests) > sha256.Size {
		level := make([]byte, (len(digests)+BlockSize-1)/BlockSize*BlockSize)
		copy(level, digests)
		levels = append([][]byte{level}, levels...)
		t.HashBlocks += int64(len(level) / BlockSize)
		digests = d.blocks(nil, level)
	}
	copy(t.Root[:], digests)
	return t, levels, nil
}

// digester makes digests of blocks.
type digester struct {
	salt []byte
	h    hash.Hash
}

// stream returns the digests of so many blocks.
func (d digester) stream(r io.Reader, blocks int64) ([]byte, error) {
	digests := make([]byte, 0, blocks*sha256.Size)
	buf := make([]byte, readSize)
	for left := blocks * BlockSize; left > 0; {
		n := min(left, readSize)
		if _, err := io.ReadFull(r, buf[:n]); err != nil {
			return nil, err
		}
		digests = d.blocks(digests, buf[:n])
		left -= n
	}
	return digests, nil
}

// blocks appends the digests of whole blocks.
func (d digester) blocks(to, data []byte) []byte {
	for ; len(data) > 0; data = data[BlockSize:] {
		d.h.Reset()
		d.h.Write(d.salt)
		d.h.Write(data[:BlockSize])
		to = d.h.Sum(to)
	}
	return to
}
