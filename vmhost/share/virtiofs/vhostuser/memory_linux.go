package vhostuser

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// The table of regions: count, padding (32 bits each), and for each region four
// numbers of 64 bits. Eight is what a front end may send (VHOST_MEMORY_BASELINE_NREGIONS).
const (
	maxRegions  = 8
	regionsHead = 8
	regionLen   = 32
)

// region is a part of the guest's memory.
type region struct {
	guest  uint64 // physical address in the guest
	size   uint64
	user   uint64 // address in QEMU, by which it names rings
	offset uint64 // in the file
	data   []byte // nil before it is mapped
}

// countRegions checks the size of a table of regions.
func countRegions(payload []byte) (int, error) {
	if len(payload) < regionsHead {
		return 0, wrong("a table of regions of %d bytes", len(payload))
	}
	n := binary.LittleEndian.Uint32(payload)
	if n == 0 || n > maxRegions || len(payload) != regionsHead+int(n)*regionLen {
		return 0, wrong("a table of %d regions in %d bytes", n, len(payload))
	}
	return int(n), nil
}

// parseRegions reads a table whose size was checked, and refuses regions that
// overlap, go round the end of the address space or are no whole pages.
func parseRegions(payload []byte) ([]region, error) {
	n, err := countRegions(payload)
	if err != nil {
		return nil, err
	}
	page := uint64(unix.Getpagesize())
	out := make([]region, n)
	for i := range out {
		b := payload[regionsHead+i*regionLen:]
		le := binary.LittleEndian
		r := region{guest: le.Uint64(b), size: le.Uint64(b[8:]), user: le.Uint64(b[16:]), offset: le.Uint64(b[24:])}
		switch {
		case r.size == 0 || r.size > math.MaxInt64/2 || r.offset > math.MaxInt64/2,
			r.guest > math.MaxUint64-r.size, r.user > math.MaxUint64-r.size:
			return nil, wrong("a region that is out of all bounds (%+v)", r)
		case (r.size|r.guest|r.user|r.offset)%page != 0:
			return nil, wrong("a region that is no whole pages (%+v)", r)
		}
		out[i] = r
	}
	slices.SortFunc(out, func(a, b region) int {
		if a.guest < b.guest {
			return -1
		}
		return 1
	})
	for i := 1; i < n; i++ {
		if out[i-1].guest+out[i-1].size > out[i].guest {
			return nil, wrong("regions that overlap")
		}
	}
	return out, nil
}

// memory is the guest's memory, as one table described it. It is unmapped when
// nothing uses it any more.
type memory struct {
	regions []region // by their addresses in the guest
	uses    atomic.Int64
}

// newMemory maps a table of regions; fds are in the order of the table and stay
// the caller's. The caller's use ends with done.
func newMemory(payload []byte, fds []int) (*memory, error) {
	list, err := parseRegions(payload)
	if err != nil {
		return nil, err
	}
	m := &memory{}
	m.uses.Store(1)
	for i := range fds {
		// By its address: the list is sorted, the table is not.
		at := binary.LittleEndian.Uint64(payload[regionsHead+i*regionLen:])
		k := slices.IndexFunc(list, func(r region) bool { return r.guest == at })
		if err := list[k].mapFile(fds[i]); err != nil {
			m.regions = list
			m.done()
			return nil, err
		}
	}
	m.regions = list
	return m, nil
}

// mapFile maps the region from a file, which must be as long as it.
func (r *region) mapFile(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("the file of the guest's memory: %w", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || uint64(st.Size) < r.offset+r.size {
		return wrong("memory of %d bytes at %d in a file of %d (mode %o)", r.size, r.offset, st.Size, st.Mode)
	}
	data, err := unix.Mmap(fd, int64(r.offset), int(r.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("mapping %d bytes of the guest's memory: %w", r.size, err)
	}
	r.data = data
	_ = unix.Madvise(data, unix.MADV_DONTDUMP)
	return nil
}

// use counts a user in, while there is one already.
func (m *memory) use() *memory {
	m.uses.Add(1)
	return m
}

// done ends a use.
func (m *memory) done() {
	if m.uses.Add(-1) > 0 {
		return
	}
	for i := range m.regions {
		if m.regions[i].data != nil {
			_ = unix.Munmap(m.regions[i].data)
		}
	}
	m.regions = nil
}

// guest appends the size bytes at an address of the guest to bufs, in as many
// parts as there are regions under them.
func (m *memory) guest(bufs [][]byte, addr, size uint64) ([][]byte, error) {
	if addr > math.MaxUint64-size {
		return bufs, wrong("a buffer of %d bytes at %#x", size, addr)
	}
	for size > 0 {
		r := m.find(addr)
		if r == nil {
			return bufs, wrong("a buffer at %#x, where the guest has no memory", addr)
		}
		part := r.data[addr-r.guest:]
		part = part[:min(uint64(len(part)), size):min(uint64(len(part)), size)]
		bufs = append(bufs, part)
		addr += uint64(len(part))
		size -= uint64(len(part))
	}
	return bufs, nil
}

func (m *memory) find(addr uint64) *region {
	for i := range m.regions {
		if r := &m.regions[i]; addr >= r.guest && addr-r.guest < r.size {
			return r
		}
	}
	return nil
}

// user returns the size bytes at an address of QEMU, in one part.
func (m *memory) user(addr, size uint64) ([]byte, error) {
	for i := range m.regions {
		r := &m.regions[i]
		if addr >= r.user && addr-r.user < r.size && size <= r.size-(addr-r.user) {
			return r.data[addr-r.user:][:size:size], nil
		}
	}
	return nil, wrong("a ring of %d bytes at %#x, where there is no memory", size, addr)
}
