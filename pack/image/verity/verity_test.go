package verity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// numbered is an image whose blocks repeat their number: "00000007" 512 times.
func numbered(blocks int) []byte {
	var b bytes.Buffer
	for i := range blocks {
		b.WriteString(strings.Repeat(fmt.Sprintf("%08d", i), BlockSize/8))
	}
	return b.Bytes()
}

// The vectors were made by veritysetup 2.6.1 from the same images, with the
// command in the package comment.
func TestAppendAsVeritysetup(t *testing.T) {
	for _, tt := range []struct {
		blocks     int
		salt       string
		hashBlocks int64
		root       string
		image      string // SHA-256 of data and tree, "" is not known
	}{
		{1, "00112233445566778899aabbccddeeff", 0, "8b0ef638fc608fd0d40c2b554a67e423d1eee2be3e40cc1aad21935b91529060", "1d05a1711752d58cd7b1a0fc3b865510186533adc6b73b84fba762884acfa52d"},
		{128, "00112233445566778899aabbccddeeff", 1, "017aac0e1f042870ec414a056e13840dfb58992af03b5ecf0fda6a0aaf893e97", "065a857cb830bb3fa5c0ba1c6036500afac0ae7e757bc9be37ee6d88e75cedd5"},
		{129, "00112233445566778899aabbccddeeff", 3, "ddc06ad6ebe7cab582012bef930b5ed97af9623188b523ef210056e7c1825a99", "98e071db4a02e123f7f663ebe2720dcdcd70db51fd5d2d25db75d1648f36c4a2"},
		{300, "00112233445566778899aabbccddeeff", 4, "2446603069a1e6f93c7b289175969022ae27f8dbaace78519b5019803be8cdfe", "4fb6123ccce8361bf957010a4c6191d70c57b103a1e1d25b63950ec94a96016f"},
		{16385, "00112233445566778899aabbccddeeff", 132, "64c72e1ef572389b5f0c0cd2d34f1d4b50b2209308e6e56bede8d7b1882ab6f0", "5ff1e776a966607268691d44b5e3a4164dfaf3f15b7460673847af54d34c6270"},
		{16385, "", 132, "73852e6cf7af7288562299715ec06adc6b608745312796bff83b8bf684b0c04b", ""},
	} {
		t.Run(fmt.Sprintf("%d/%s", tt.blocks, tt.salt), func(t *testing.T) {
			salt, err := hex.DecodeString(tt.salt)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "image")
			if err := os.WriteFile(file, numbered(tt.blocks), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := Append(file, salt)
			if err != nil {
				t.Fatal(err)
			}
			if hex.EncodeToString(got.Root[:]) != tt.root || got.DataBlocks != int64(tt.blocks) || got.HashBlocks != tt.hashBlocks {
				t.Errorf("%x, %d and %d blocks", got.Root, got.DataBlocks, got.HashBlocks)
			}
			image, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(image)) != (got.DataBlocks+got.HashBlocks)*BlockSize {
				t.Errorf("%d bytes", len(image))
			}
			if sum := sha256.Sum256(image); tt.image != "" && hex.EncodeToString(sum[:]) != tt.image {
				t.Errorf("the image is %x", sum)
			}
		})
	}
}

// What is left of the last block counts as zeros.
func TestAppendFillsTheLastBlock(t *testing.T) {
	root := func(data []byte) [32]byte {
		t.Helper()
		file := filepath.Join(t.TempDir(), "image")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := Append(file, []byte("salt"))
		if err != nil {
			t.Fatal(err)
		}
		return tree.Root
	}
	short := numbered(200)[:199*BlockSize+5]
	whole := append(bytes.Clone(short), make([]byte, BlockSize-5)...)
	if root(short) != root(whole) {
		t.Error("another tree")
	}
	if root(short) == root(numbered(200)) {
		t.Error("the tree does not depend on the last block")
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(empty, nil); err == nil {
		t.Error("an empty image has a tree")
	}
	if _, err := Append(filepath.Join(dir, "missing"), nil); err == nil {
		t.Error("a missing image has a tree")
	}
	if _, _, err := Sum(bytes.NewReader(numbered(1)), 1, make([]byte, MaxSalt+1)); err == nil {
		t.Error("any salt")
	}
	if _, _, err := Sum(bytes.NewReader(numbered(2)[:2*BlockSize-1]), 2, nil); err == nil {
		t.Error("less data than said")
	}
}
