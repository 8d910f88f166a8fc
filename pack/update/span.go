package update

import "piwork/pack/spec"

// Sizes of requests, in bytes.
const (
	minSpan = 256 << 10
	maxSpan = 8 << 20
	maxGap  = 32 << 10 // that is fetched in vain rather than asked around: about what comes in a round trip
	partOf  = 16 << 10 // that make a request more than a failure
)

// span is a run of chunks that one request asks for.
type span struct {
	chunks []spec.Chunk
	part   []byte  // what has come of the first chunk
	buf    []byte  // to use again
	from   *mirror // that part came from; from another it may not go on
}

func (s *span) start() int64 { return s.chunks[0].Offset }
func (s *span) end() int64   { return end(s.chunks[len(s.chunks)-1]) }
func end(c spec.Chunk) int64 { return c.Offset + c.Packed }

// makeSpans groups chunks, which are in the order of the archive, into spans of
// about size bytes.
func makeSpans(chunks []spec.Chunk, size int64) []*span {
	size = min(max(size, minSpan), maxSpan)
	var spans []*span
	for _, c := range chunks {
		if n := len(spans); n > 0 {
			if s := spans[n-1]; c.Offset-s.end() <= maxGap && end(c)-s.start() <= size {
				s.chunks = append(s.chunks, c)
				continue
			}
		}
		spans = append(spans, &span{chunks: []spec.Chunk{c}})
	}
	return spans
}
