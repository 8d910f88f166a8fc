package changes

import (
	"strconv"
	"time"

	"piwork/vmhost/share/journal"
)

// facts says what differs beside the content.
func facts(c journal.Change) []Fact {
	out := []Fact{}
	if c.From != "" && c.From != c.Path {
		out = append(out, Fact{Code: FactMoved, Before: c.From, After: c.Path})
	}
	b, a := c.Before, c.After
	if b == nil || a == nil {
		return out
	}
	if b.Target != a.Target {
		out = append(out, Fact{Code: FactTarget, Before: b.Target, After: a.Target})
	}
	if b.Mode != a.Mode {
		out = append(out, Fact{Code: FactMode, Before: mode(b.Mode), After: mode(a.Mode)})
	}
	if b.Attributes != a.Attributes {
		out = append(out, Fact{Code: FactAttributes})
	}
	// Of a file whose content differs the time says nothing more.
	if !b.MTime.Equal(a.MTime) && (sameContent(c) || c.Kind != "file" && c.Kind != "") {
		out = append(out, Fact{Code: FactTime, Before: b.MTime.UTC().Format(time.RFC3339Nano), After: a.MTime.UTC().Format(time.RFC3339Nano)})
	}
	return out
}

func mode(m uint32) string {
	s := strconv.FormatUint(uint64(m&0o7777), 8)
	for len(s) < 3 {
		s = "0" + s
	}
	return s
}
