package verity

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// BlockSize is the size of data and hash blocks, in bytes.
const BlockSize = 4096

const (
	hashSize  = 32 // of SHA-256, bytes
	maxSalt   = 32 // bytes
	perBlock  = BlockSize / hashSize
	sector    = 512
	maxBlocks = 1 << 40 / BlockSize // of one disk: 1 TiB
)

// ErrDamaged is wrapped when a disk cannot hold what it is said to.
var ErrDamaged = errors.New("the image is damaged")

// Params is what the signed manifest says about an image.
type Params struct {
	RootHash   string // SHA-256, hex
	Salt       string // hex, may be empty
	DataBlocks int64
}

// Check refuses parameters that could mean anything else to the kernel.
func (p Params) Check() error {
	root, err := hex.DecodeString(p.RootHash)
	if err != nil || len(root) != hashSize {
		return fmt.Errorf("verity: root hash %.80q", p.RootHash)
	}
	salt, err := hex.DecodeString(p.Salt)
	if err != nil || len(salt) > maxSalt {
		return fmt.Errorf("verity: salt %.80q", p.Salt)
	}
	if p.DataBlocks < 1 || p.DataBlocks > maxBlocks {
		return fmt.Errorf("verity: %d data blocks", p.DataBlocks)
	}
	return nil
}

// Parse reads ROOTHASH:SALT:DATABLOCKS, as the kernel's command line has it.
func Parse(s string) (Params, error) {
	var p Params
	words := strings.Split(s, ":")
	if len(words) != 3 {
		return p, fmt.Errorf("verity: %.200q is not ROOTHASH:SALT:DATABLOCKS", s)
	}
	p.RootHash, p.Salt = words[0], words[1]
	if _, err := fmt.Sscanf(words[2], "%d", &p.DataBlocks); err != nil || fmt.Sprint(p.DataBlocks) != words[2] {
		return Params{}, fmt.Errorf("verity: %.80q data blocks", words[2])
	}
	return p, p.Check()
}

// blocks is the length of data and tree together.
func (p Params) blocks() int64 {
	n := p.DataBlocks
	for level := p.DataBlocks; level > 1; {
		level = (level + perBlock - 1) / perBlock
		n += level
	}
	return n
}

// table is the line of parameters of a target of the type verity: version 1 of
// the tree, data and tree on the same device, the tree behind the data.
func (p Params) table(device string) string {
	salt := cmp.Or(p.Salt, "-")
	return fmt.Sprintf("1 %s %s %d %d %d %d sha256 %s %s 2 panic_on_corruption panic_on_error",
		device, device, BlockSize, BlockSize, p.DataBlocks, p.DataBlocks, p.RootHash, salt)
}
