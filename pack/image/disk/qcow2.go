package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The file is written by the specification in QEMU's docs/interop/qcow2.rst,
// version 3, in an order of its own: header, L1 table, L2 tables, data,
// refcounts. Nothing in it depends on time or machine.
const (
	magic         = 0x514649fb // "QFI\xfb"
	version       = 3
	headerLength  = 104
	clusterBits   = 16
	clusterSize   = 1 << clusterBits
	l2Entries     = clusterSize / 8
	refcountOrder = 4 // 16 bits
	refcountsEach = clusterSize / 2
	flagCopied    = 1 << 63 // refcount is exactly one
	maxVirtual    = 1 << 44
)

// WriteQcow2 writes size bytes of raw as qcow2. Clusters that are all zeros
// are left out.
func WriteQcow2(w io.WriterAt, raw io.ReaderAt, size int64) error {
	if size <= 0 || size > maxVirtual || size%512 != 0 {
		return fmt.Errorf("qcow2: a disk of %d bytes", size)
	}
	clusters := ceil(size, clusterSize)
	l2Tables := ceil(clusters, l2Entries)
	l1Clusters := ceil(l2Tables*8, clusterSize)

	used, err := usedClusters(raw, size)
	if err != nil {
		return err
	}
	// First pass: places. An L2 table exists where a cluster of its range does.
	next := 1 + l1Clusters
	l1 := make([]uint64, l2Tables)
	for _, c := range used {
		if t := c / l2Entries; l1[t] == 0 {
			l1[t] = uint64(next) << clusterBits
			next++
		}
	}
	l2 := map[int64][]uint64{}
	data := make([]int64, len(used))
	for i, c := range used {
		t := c / l2Entries
		if l2[t] == nil {
			l2[t] = make([]uint64, l2Entries)
		}
		data[i] = next
		l2[t][c%l2Entries] = uint64(next)<<clusterBits | flagCopied
		next++
	}
	// Refcount blocks count themselves and their table.
	blocks, table := int64(0), int64(0)
	for {
		total := next + blocks + table
		b := ceil(total, refcountsEach)
		t := ceil(b*8, clusterSize)
		if b == blocks && t == table {
			break
		}
		blocks, table = b, t
	}
	tableAt := next
	total := next + table + blocks

	// Second pass: bytes.
	out := clusterWriter{w: w}
	var h bytes.Buffer
	for _, v := range []any{
		uint32(magic), uint32(version),
		uint64(0), uint32(0), // no backing file
		uint32(clusterBits), uint64(size), uint32(0), // no encryption
		uint32(l2Tables), uint64(1) << clusterBits, // L1 table
		uint64(tableAt) << clusterBits, uint32(table),
		uint32(0), uint64(0), // no snapshots
		uint64(0), uint64(0), uint64(0), // no features
		uint32(refcountOrder), uint32(headerLength),
	} {
		if err := binary.Write(&h, binary.BigEndian, v); err != nil {
			return fmt.Errorf("qcow2: %w", err)
		}
	}
	out.put(0, h.Bytes())
	for i := range l1 {
		if l1[i] != 0 {
			out.words(int64(l1[i]>>clusterBits), l2[int64(i)])
			l1[i] |= flagCopied
		}
	}
	out.words(1, l1)
	buf := make([]byte, clusterSize)
	for i, c := range used {
		if err := readCluster(raw, c, size, buf); err != nil {
			return err
		}
		out.put(data[i], buf)
	}
	addresses := make([]uint64, blocks)
	for i := range addresses {
		at := tableAt + table + int64(i)
		addresses[i] = uint64(at) << clusterBits
		counts := make([]byte, clusterSize)
		for j := range min(total-int64(i)*refcountsEach, refcountsEach) {
			binary.BigEndian.PutUint16(counts[2*j:], 1)
		}
		out.put(at, counts)
	}
	out.words(tableAt, addresses)
	return out.err
}

// usedClusters lists the clusters with anything but zeros in them.
func usedClusters(raw io.ReaderAt, size int64) ([]int64, error) {
	holes, _ := raw.(holeFinder)
	var used []int64
	buf, zero := make([]byte, clusterSize), make([]byte, clusterSize)
	for c := int64(0); c < ceil(size, clusterSize); c++ {
		if holes != nil {
			next, err := holes.NextData(c * clusterSize)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("qcow2: %w", err)
			}
			c = max(c, next/clusterSize)
			if c*clusterSize >= size {
				break
			}
		}
		if err := readCluster(raw, c, size, buf); err != nil {
			return nil, err
		}
		if !bytes.Equal(buf, zero) {
			used = append(used, c)
		}
	}
	return used, nil
}

// holeFinder is a reader that knows its holes: NextData returns the first
// offset at or after off that may hold data, io.EOF when there is none.
type holeFinder interface {
	NextData(off int64) (int64, error)
}

// readCluster reads one cluster, the last one filled up with zeros.
func readCluster(raw io.ReaderAt, c, size int64, buf []byte) error {
	n := min(size-c*clusterSize, clusterSize)
	clear(buf[n:])
	got, err := raw.ReadAt(buf[:n], c*clusterSize)
	if int64(got) < n {
		return fmt.Errorf("qcow2: read at %d: %w", c*clusterSize, err)
	}
	return nil
}

// clusterWriter writes whole clusters and keeps the first error.
type clusterWriter struct {
	w   io.WriterAt
	err error
}

func (o *clusterWriter) put(cluster int64, p []byte) {
	if o.err != nil {
		return
	}
	full := make([]byte, ceil(int64(len(p)), clusterSize)*clusterSize)
	copy(full, p)
	if _, err := o.w.WriteAt(full, cluster*clusterSize); err != nil {
		o.err = fmt.Errorf("qcow2: write: %w", err)
	}
}

func (o *clusterWriter) words(cluster int64, words []uint64) {
	b := make([]byte, 8*len(words))
	for i, v := range words {
		binary.BigEndian.PutUint64(b[8*i:], v)
	}
	o.put(cluster, b)
}

func ceil(n, by int64) int64 { return (n + by - 1) / by }
