package qemu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// The parts of qcow2 that an empty overlay needs, in the order of the file
// (docs/interop/qcow2.rst of QEMU). All numbers are big-endian.
const (
	qcow2Magic       = 0x514649fb // "QFI\xfb"
	qcow2HeaderSize  = 104        // of version 3, without optional fields
	qcow2ClusterBits = 16
	qcow2Cluster     = 1 << qcow2ClusterBits
	qcow2Backing     = 0xe2792aca // header extension: format of the backing file
	qcow2MaxName     = 1023       // longest name of a backing file, bytes

	// One L2 table maps this many bytes: 8 bytes per entry.
	qcow2L2Span = qcow2Cluster / 8 * qcow2Cluster
)

// maxDisk bounds the virtual size of an overlay: its L1 table fits in one
// cluster then.
const maxDisk = int64(qcow2Cluster / 8 * qcow2L2Span)

// ErrNotQCOW2 is returned for a backing file that is no qcow2 image.
var ErrNotQCOW2 = errors.New("not a qcow2 image")

// CreateOverlay makes the file path: a qcow2 image, empty, of the virtual size
// of the qcow2 image base, which it names as its backing file. It is private
// to the user; a file that exists is never touched.
func CreateOverlay(path, base string) error {
	size, err := virtualSize(base)
	if err != nil {
		return fmt.Errorf("read the backing file: %w", err)
	}
	image, err := overlayImage(size, base)
	if err != nil {
		return fmt.Errorf("overlay over %s: %w", base, err)
	}
	return newOverlay(path, bytes.NewReader(image))
}

// CloneOverlay makes the file path as a copy of the overlay from, which no
// machine has open: of one that was saved, for each that is restored. Where the
// file system can, both share what they have in common (the system's own
// copying does that). It is private to the user; a file that exists is never
// touched.
func CloneOverlay(path, from string) error {
	if _, err := virtualSize(from); err != nil {
		return fmt.Errorf("read the overlay to copy: %w", err)
	}
	f, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("read the overlay to copy: %w", err)
	}
	defer f.Close()
	return newOverlay(path, f)
}

func newOverlay(path string, content io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create the overlay: %w", err)
	}
	// No sync: an overlay means nothing after a crash.
	_, err = f.ReadFrom(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("write the overlay: %w", err)
	}
	return nil
}

// overlayImage returns the bytes of an empty qcow2 image of size bytes over
// the backing file, itself a qcow2 image: a cluster each for the header, the
// refcount table, the only refcount block and the L1 table.
func overlayImage(size int64, backing string) ([]byte, error) {
	switch {
	case size <= 0 || size > maxDisk || size%512 != 0:
		return nil, fmt.Errorf("virtual size of %d bytes", size)
	case backing == "" || len(backing) > qcow2MaxName:
		return nil, fmt.Errorf("name of the backing file has %d bytes, at most %d are possible", len(backing), qcow2MaxName)
	}
	const (
		format     = "qcow2"
		clusters   = 4
		refTable   = 1 * qcow2Cluster
		refBlock   = 2 * qcow2Cluster
		l1Table    = 3 * qcow2Cluster
		extensions = qcow2HeaderSize
		name       = extensions + 8 + 8 /* format, padded */ + 8 /* end */
	)
	b := make([]byte, clusters*qcow2Cluster)
	be := binary.BigEndian
	be.PutUint32(b[0:], qcow2Magic)
	be.PutUint32(b[4:], 3) // version
	be.PutUint64(b[8:], name)
	be.PutUint32(b[16:], uint32(len(backing)))
	be.PutUint32(b[20:], qcow2ClusterBits)
	be.PutUint64(b[24:], uint64(size))
	be.PutUint32(b[36:], uint32((size+qcow2L2Span-1)/qcow2L2Span)) // L1 entries
	be.PutUint64(b[40:], l1Table)
	be.PutUint64(b[48:], refTable)
	be.PutUint32(b[56:], 1) // clusters of the refcount table
	be.PutUint32(b[96:], 4) // refcounts of 1<<4 bits
	be.PutUint32(b[100:], qcow2HeaderSize)

	be.PutUint32(b[extensions:], qcow2Backing)
	be.PutUint32(b[extensions+4:], uint32(len(format)))
	copy(b[extensions+8:], format)
	copy(b[name:], backing)

	be.PutUint64(b[refTable:], refBlock)
	for i := range clusters {
		be.PutUint16(b[refBlock+2*i:], 1)
	}
	return b, nil
}

// virtualSize returns the size of the disk in a qcow2 image.
func virtualSize(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	header := make([]byte, qcow2HeaderSize)
	if _, err := io.ReadFull(f, header); err != nil {
		return 0, fmt.Errorf("%s: %w: %w", path, ErrNotQCOW2, err)
	}
	size, err := parseHeader(header)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return size, nil
}

// parseHeader returns the virtual size from the first bytes of a qcow2 image.
func parseHeader(b []byte) (int64, error) {
	if len(b) < qcow2HeaderSize || binary.BigEndian.Uint32(b) != qcow2Magic {
		return 0, ErrNotQCOW2
	}
	if v := binary.BigEndian.Uint32(b[4:]); v != 2 && v != 3 {
		return 0, fmt.Errorf("%w of version 2 or 3 but %d", ErrNotQCOW2, v)
	}
	size := binary.BigEndian.Uint64(b[24:])
	if size == 0 || size > uint64(maxDisk) || size%512 != 0 {
		return 0, fmt.Errorf("virtual size of %d bytes", size)
	}
	return int64(size), nil
}
