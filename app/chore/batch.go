package chore

const (
	// lookBatch bounds one look at inputs: its answer has to fit in a line of
	// the guest protocol, with the longest problem for each.
	lookBatch = 100
	// convertBatch and convertBytes bound one conversion: what is lost with one
	// that fails as a whole is at most this.
	convertBatch = 100
	convertBytes = 512 << 20
	// pathBytes bounds the paths of one action, for the same line.
	pathBytes = 128 << 10
)

// batches cuts a list into pieces of at most n elements, bytes of content and
// pathBytes of paths each; every piece has at least one.
func batches(in []Input, n int, bytes int64) [][]Input {
	var out [][]Input
	start, size, paths := 0, int64(0), 0
	for i, p := range in {
		if i > start && (i-start == n || size+p.Size > bytes || paths+len(p.Path) > pathBytes) {
			out = append(out, in[start:i])
			start, size, paths = i, 0, 0
		}
		size += p.Size
		paths += len(p.Path)
	}
	if start < len(in) {
		out = append(out, in[start:])
	}
	return out
}
