package share

import "sync/atomic"

// Counts are how often guests asked something of their folders, and how many bytes they read
// and wrote. One may count for several Sets.
type Counts struct {
	look, change, read, write atomic.Int64 // calls: of names and what is known of them, changes of these, content
	out, in                   atomic.Int64 // bytes of content
}

// Calls are the calls by class.
func (c *Counts) Calls() map[string]int64 {
	return map[string]int64{"look": c.look.Load(), "change": c.change.Load(), "read": c.read.Load(), "write": c.write.Load()}
}

// Bytes are the bytes of content by direction, as the guest sees it.
func (c *Counts) Bytes() map[string]int64 {
	return map[string]int64{"read": c.out.Load(), "write": c.in.Load()}
}
