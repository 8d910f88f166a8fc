package api

import (
	"bytes"
	"fmt"
	"sync"

	"piwork/app/task"
	"piwork/app/words"
)

const (
	encodedEvents = 128      // that are kept; streams that keep up are this close together
	encodedBytes  = 16 << 10 // of one; larger ones are rare, and made anew for each stream
)

// encodedRing keeps the latest events as they go out, so that an event is rendered and
// encoded once for all streams of a language.
type encodedRing [encodedEvents]struct {
	mu     sync.Mutex // held while it is made, so that others wait for it
	serial uint64
	data   []byte
}

// encoded has a ring for each language.
type encoded map[string]*encodedRing

func newEncoded() encoded {
	out := encoded{}
	for _, l := range words.Languages {
		out[l] = &encodedRing{}
	}
	return out
}

// append writes an event in the words of c.
func (r encoded) append(out *bytes.Buffer, c *words.Catalogue, e task.Event) error {
	if e.Serial == 0 {
		return appendEvent(out, InWords(c, e))
	}
	slot := &r[c.Language][e.Serial%encodedEvents]
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.serial == e.Serial {
		out.Write(slot.data)
		return nil
	}
	begin := out.Len()
	if err := appendEvent(out, InWords(c, e)); err != nil {
		return err
	}
	if data := out.Bytes()[begin:]; len(data) <= encodedBytes {
		slot.serial, slot.data = e.Serial, append(slot.data[:0], data...)
	}
	return nil
}

// appendEvent writes an event as a message of a stream.
func appendEvent(out *bytes.Buffer, e task.Event) error {
	if e.Seq > 0 {
		fmt.Fprintf(out, "id: %d\n", e.Seq)
	}
	return appendData(out, e)
}

// appendData writes what a message carries, and ends it.
func appendData(out *bytes.Buffer, v any) error {
	out.WriteString("data: ")
	if err := writeJSON(out, v); err != nil { // one line, with its end
		return err
	}
	out.WriteByte('\n')
	return nil
}
