package answer

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"time"

	"piwork/app/task"
	"piwork/app/words"
)

const (
	writeTimeout = 30 * time.Second // ends a stream whose client does not read

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

// Encoded has a ring for each language.
type Encoded map[string]*encodedRing

// NewEncoded makes one that is empty.
func NewEncoded() Encoded {
	out := Encoded{}
	for _, l := range words.Languages {
		out[l] = &encodedRing{}
	}
	return out
}

// Append writes an event in the words of c.
func (r Encoded) Append(out *bytes.Buffer, c *words.Catalogue, e task.Event) error {
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
	if err := WriteJSON(out, v); err != nil { // one line, with its end
		return err
	}
	out.WriteByte('\n')
	return nil
}

// EventWriter writes server-sent events.
type EventWriter struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
	Buf  bytes.Buffer // what was not sent yet
}

// NewEventWriter begins a stream.
func NewEventWriter(w http.ResponseWriter) *EventWriter {
	w.Header().Set("Content-Type", "text/event-stream")
	return &EventWriter{w: w, ctrl: http.NewResponseController(w)}
}

// Event writes an event of a task.
func (o *EventWriter) Event(e task.Event) error {
	if err := appendEvent(&o.Buf, e); err != nil {
		return err
	}
	return o.Send()
}

// Named writes something else, under a name of its own.
func (o *EventWriter) Named(name string, v any) error {
	fmt.Fprintf(&o.Buf, "event: %s\n", name)
	if err := appendData(&o.Buf, v); err != nil {
		return err
	}
	return o.Send()
}

// Line writes what is one line already, under a name of its own, and with an id where it is not 0.
func (o *EventWriter) Line(name string, id int64, data []byte) error {
	if id > 0 {
		fmt.Fprintf(&o.Buf, "id: %d\n", id)
	}
	fmt.Fprintf(&o.Buf, "event: %s\ndata: %s\n\n", name, data)
	return o.Send()
}

// Beat writes a comment: headers go out, and a dead line is noticed.
func (o *EventWriter) Beat() error {
	o.Buf.WriteString(":\n\n")
	return o.Send()
}

// Send writes what is in buf.
func (o *EventWriter) Send() error {
	defer o.Buf.Reset()
	// Neither is there on every carrier; without them the body just flows.
	_ = o.ctrl.SetWriteDeadline(time.Now().Add(writeTimeout))
	if _, err := o.w.Write(o.Buf.Bytes()); err != nil {
		return err
	}
	_ = o.ctrl.Flush()
	return nil
}
