//go:build (vm || long) && linux

package guestvm

import (
	"bytes"
	"encoding/binary"
	"maps"
	"path"
	"slices"
)

// Form of an uncompressed erofs image (Linux, fs/erofs/erofs_fs.h): a
// superblock, compact inodes of 32 bytes, and each file and directory in blocks
// of its own. Every directory here fits in one block.
const (
	erofsBlock = 4096
	erofsInode = 32
	metaBlock  = 1 // where the inodes begin

	typeFile = 1
	typeDir  = 2
)

// Erofs makes a read-only image of files by path, with the directories above them.
func Erofs(files map[string]string) []byte {
	type node struct {
		dir  bool
		data []byte
		nid  uint64
	}
	nodes := map[string]*node{".": {dir: true}}
	for name, data := range files {
		nodes[name] = &node{data: []byte(data)}
		for d := path.Dir(name); d != "."; d = path.Dir(d) {
			nodes[d] = &node{dir: true}
		}
	}
	names := slices.Sorted(maps.Keys(nodes))
	for i, name := range names {
		nodes[name].nid = uint64(i) + 1
	}
	for _, name := range names {
		if nodes[name].dir {
			entries := map[string]*node{".": nodes[name], "..": nodes[path.Dir(name)]}
			for other, n := range nodes {
				if other != "." && path.Dir(other) == name {
					entries[path.Base(other)] = n
				}
			}
			var heads, texts bytes.Buffer
			sorted := slices.Sorted(maps.Keys(entries))
			for _, e := range sorted {
				kind := byte(typeFile)
				if entries[e].dir {
					kind = typeDir
				}
				head := binary.LittleEndian.AppendUint64(nil, entries[e].nid)
				head = binary.LittleEndian.AppendUint16(head, uint16(12*len(sorted)+texts.Len()))
				heads.Write(append(head, kind, 0))
				texts.WriteString(e)
			}
			nodes[name].data = append(heads.Bytes(), texts.Bytes()...)
		}
	}
	inodes := make([]byte, (len(names)+1)*erofsInode)
	blocks := uint32(metaBlock + (len(inodes)+erofsBlock-1)/erofsBlock)
	var data bytes.Buffer
	for _, name := range names {
		n := nodes[name]
		mode, links := uint16(0o100755), uint16(1)
		if n.dir {
			mode, links = 0o040755, 2
		}
		at := inodes[n.nid*erofsInode:]
		binary.LittleEndian.PutUint16(at[4:], mode)
		binary.LittleEndian.PutUint16(at[6:], links)
		binary.LittleEndian.PutUint32(at[8:], uint32(len(n.data)))
		binary.LittleEndian.PutUint32(at[16:], blocks)
		binary.LittleEndian.PutUint32(at[20:], uint32(n.nid))
		data.Write(n.data)
		data.Write(make([]byte, -len(n.data)&(erofsBlock-1)))
		blocks = uint32(metaBlock + (len(inodes)+erofsBlock-1)/erofsBlock + data.Len()/erofsBlock)
	}
	image := make([]byte, erofsBlock)
	super := image[1024:]
	binary.LittleEndian.PutUint32(super, 0xE0F5E1E2)
	super[12] = 12 // log2 of the block size
	binary.LittleEndian.PutUint16(super[14:], uint16(nodes["."].nid))
	binary.LittleEndian.PutUint64(super[16:], uint64(len(names)))
	binary.LittleEndian.PutUint32(super[36:], blocks)
	binary.LittleEndian.PutUint32(super[40:], metaBlock)
	image = append(image, inodes...)
	image = append(image, make([]byte, -len(image)&(erofsBlock-1))...)
	return append(image, data.Bytes()...)
}
