package inspect

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// pass sends the request, and the answer back.
func (e *exchange) pass() {
	ctx, cancel := context.WithCancel(e.r.Context())
	defer cancel()
	if e.site.Done != nil {
		e.i.work.Go(func() {
			select {
			case <-e.site.Done:
				cancel()
			case <-ctx.Done():
			}
		})
	}
	up := &upload{e: e}
	defer up.finish()
	answer, err := e.i.transport.RoundTrip(e.request(ctx, up))
	if e.r.Context().Err() != nil { // the guest is gone, or the task ends
		e.record.Reason = ReasonCut
		abort()
		return
	}
	if err != nil && e.gone() {
		e.refuse(http.StatusForbidden, ReasonGone)
		return
	}
	if err != nil {
		e.refuse(http.StatusBadGateway, failure(err))
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 {
		e.refuse(http.StatusBadGateway, ReasonProtocol)
		return
	}
	body := io.Reader(&download{e: e, body: answer.Body, stall: time.AfterFunc(answerWait, cancel)})
	encoded := coded(answer.Header["Content-Encoding"]) // which drop may leave out
	drop(answer.Header)
	for _, name := range []string{"Alt-Svc", "Content-Length"} { // the first would have the guest go around
		answer.Header.Del(name)
	}
	if s := e.given.Scrub; s != nil {
		if encoded {
			e.refuse(http.StatusBadGateway, ReasonEncoded)
			return
		}
		s.Header(answer.Header)
		body = s.Reader(body)
	}
	h := e.w.Header()
	for name, values := range answer.Header {
		h[name] = values
	}
	if _, has := h["Date"]; !has {
		h["Date"] = nil // rather than ours
	}
	if n := answer.ContentLength; n >= 0 && answer.StatusCode != http.StatusNoContent && (n > 0 || answer.StatusCode != http.StatusNotModified) {
		h.Set("Content-Length", strconv.FormatInt(n, 10))
	}
	e.record.Status = answer.StatusCode
	e.w.WriteHeader(answer.StatusCode)
	if e.r.Method == http.MethodHead {
		e.last()
		return
	}
	if err := e.copy(body, answer.ContentLength < 0); err != nil {
		if e.record.Reason = ReasonCut; e.gone() {
			e.record.Reason = ReasonGone
		}
		abort() // the guest is to see that it is not whole
	}
}

// gone reports whether the service ended.
func (e *exchange) gone() bool {
	select {
	case <-e.site.Done:
		return true
	default:
		return false
	}
}

// coded reports whether a body is compressed.
func coded(encodings []string) bool {
	for _, line := range encodings {
		for one := range strings.SplitSeq(line, ",") {
			if one = strings.TrimSpace(one); one != "" && !strings.EqualFold(one, "identity") {
				return true
			}
		}
	}
	return false
}

// copy sends a body to the guest. One of unknown length is sent as it comes.
func (e *exchange) copy(body io.Reader, at bool) error {
	if at {
		if err := e.awake(e.control.Flush); err != nil {
			return err
		}
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			werr := e.awake(func() error {
				if _, werr := e.w.Write(buf[:n]); werr != nil || !at {
					return werr
				}
				return e.control.Flush()
			})
			if werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			e.last()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// awake gives the guest time to take what is written. In HTTP/2 a deadline that passes resets
// the stream, also when nothing is written: it is there no longer than the write.
func (e *exchange) awake(write func() error) error {
	e.last()
	if e.r.ProtoMajor == 2 {
		defer func() { _ = e.control.SetWriteDeadline(time.Time{}) }()
	}
	return write()
}

// last gives the guest time to take what is still on its way when the handler returns.
func (e *exchange) last() {
	_ = e.control.SetWriteDeadline(time.Now().Add(stallWait)) // without one it is bounded by the connection
}

var errLong = errors.New("the body is too long")

// upload is the body of a request: bounded in length, and in the time between two bytes.
// Who sends it may read on when the answer has been passed on; finish ends that.
type upload struct {
	e     *exchange
	bytes atomic.Int64

	reading sync.Mutex // held by Read
	mu      sync.Mutex
	over    bool // nobody reads any more
	ended   bool // it has been read to its end
}

// Read implements io.Reader.
func (u *upload) Read(p []byte) (int, error) {
	u.reading.Lock()
	defer u.reading.Unlock()
	if !u.begin() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := u.e.r.Body.Read(p)
	if u.bytes.Add(int64(n)) > maxBody {
		return 0, errLong
	}
	u.rest(err != nil)
	return n, err
}

// rest takes the time from the guest that begin gave it: at the end of the body, since the
// connection waits for the answer, and in HTTP/2 after each piece, where a deadline that passes
// ends the body, also when nobody reads.
func (u *upload) rest(ended bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ended = u.ended || ended
	if !u.over && (ended || u.e.r.ProtoMajor == 2) {
		_ = u.e.control.SetReadDeadline(time.Time{})
	}
}

// begin gives the guest time for the next bytes, unless it is over.
func (u *upload) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.over {
		_ = u.e.control.SetReadDeadline(time.Now().Add(stallWait)) // without one it is bounded by the connection
	}
	return !u.over
}

// finish waits until nobody reads any more.
func (u *upload) finish() {
	u.mu.Lock()
	u.over = true
	if !u.ended && u.e.r.ContentLength != 0 {
		_ = u.e.control.SetReadDeadline(time.Unix(1, 0))
	}
	u.mu.Unlock()
	u.reading.Lock()
	defer u.reading.Unlock()
	u.e.record.Sent = u.bytes.Load()
}

// Close implements io.Closer: the server closes the body.
func (u *upload) Close() error { return nil }

// download is the body of an answer, bounded in the same way.
type download struct {
	e     *exchange
	body  io.Reader
	stall *time.Timer // ends the request
}

// Read implements io.Reader.
func (d *download) Read(p []byte) (int, error) {
	d.stall.Reset(answerWait)
	n, err := d.body.Read(p)
	if err != nil {
		d.stall.Stop()
	}
	if d.e.record.Received += int64(n); d.e.record.Received > maxBody {
		return 0, errLong
	}
	return n, err
}
