package sessions

import "piwork/vmhost/wire"

// Sizes of a scrollback, in bytes.
const (
	blockSize = 32 << 10
	blockCost = 96 // of a block beside its data
)

// block is output of one stream. Its data only grows, until another block follows.
type block struct {
	stream string
	at     int64 // offset of its first byte
	data   []byte
}

func (b block) end() int64 { return b.at + int64(len(b.data)) }

// scrollback is the last of a program's output. It is guarded by its session.
type scrollback struct {
	blocks []block
	end    int64 // bytes written so far
	size   int   // that the blocks take
}

// start is the offset of the first byte that is kept.
func (s *scrollback) start() int64 {
	if len(s.blocks) == 0 {
		return s.end
	}
	return s.blocks[0].at
}

// add appends output, which is the scrollback's from now on, and drops the oldest beyond limit.
func (s *scrollback) add(o wire.ExecOutput, limit int) {
	stream, data := o.Stream, o.Data
	if len(data) >= blockSize && cap(data) <= limit/4 {
		s.blocks = append(s.blocks, block{stream: stream, at: s.end, data: data})
		s.size += blockCost + cap(data)
		s.end += int64(len(data))
		s.trim(limit)
		return
	}
	defer o.Free()
	for len(data) > 0 {
		if n := len(s.blocks); n == 0 || s.blocks[n-1].stream != stream || len(s.blocks[n-1].data) >= blockSize {
			s.blocks = append(s.blocks, block{stream: stream, at: s.end})
			s.size += blockCost
		}
		b := &s.blocks[len(s.blocks)-1]
		n := min(len(data), blockSize-len(b.data))
		before := cap(b.data)
		b.data = append(b.data, data[:n]...)
		s.size += cap(b.data) - before
		s.end += int64(n)
		data = data[n:]
		s.trim(limit)
	}
}

// trim drops the oldest blocks beyond limit.
func (s *scrollback) trim(limit int) {
	drop := 0
	for ; drop < len(s.blocks) && s.size > limit; drop++ {
		s.size -= blockCost + cap(s.blocks[drop].data)
		wire.ExecOutput{Data: s.blocks[drop].data}.Free()
		s.blocks[drop] = block{}
	}
	if s.blocks = s.blocks[drop:]; len(s.blocks) == 0 {
		s.blocks = nil
	}
}

// from returns output from an offset on that is kept, of one stream. It is there until the
// scrollback changes.
func (s *scrollback) from(at int64) (stream string, data []byte) {
	lo, hi := 0, len(s.blocks)
	for lo < hi {
		if mid := (lo + hi) / 2; s.blocks[mid].end() <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(s.blocks) {
		return "", nil
	}
	b := s.blocks[lo]
	data = b.data[at-b.at:]
	return b.stream, data[:len(data):len(data)]
}
