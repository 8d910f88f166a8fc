package door

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// TimedBody is the body of a request that has to be sent within a time. A server reads
// what its handler left of it before it goes on, so that is bounded, too.
type TimedBody struct {
	io.ReadCloser
	within       time.Duration
	deadline     func(time.Time) error
	begun, whole bool
}

// NewTimedBody has the body of a request come within a time.
func NewTimedBody(w http.ResponseWriter, body io.ReadCloser, within time.Duration) *TimedBody {
	return &TimedBody{ReadCloser: body, within: within, deadline: http.NewResponseController(w).SetReadDeadline}
}

// Read implements io.Reader.
func (b *TimedBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		_ = b.deadline(time.Now().Add(b.within)) // not there on every carrier
	}
	n, err := b.ReadCloser.Read(p)
	if !b.whole && errors.Is(err, io.EOF) {
		b.whole = true
		_ = b.deadline(time.Time{}) // else it would end a request that takes longer
	} else if err != nil {
		err = BrokenBody{err}
	}
	return n, err
}

// BrokenBody is why a body did not come whole.
type BrokenBody struct{ error }

func (b BrokenBody) Unwrap() error { return b.error }

// Done bounds what the server does with a rest.
func (b *TimedBody) Done() {
	if !b.whole {
		_ = b.deadline(time.Now().Add(RestWithin))
	}
}

// Patient reads a body whose sender may take its time, and may not stop.
type Patient struct {
	io.ReadCloser
	stall    time.Duration
	deadline func(time.Time) error
	whole    bool // it was read to its end
}

// NewPatient takes the body of a request out of its time; it may not stop for longer than stall.
func NewPatient(w http.ResponseWriter, r *http.Request, stall time.Duration) *Patient {
	body := r.Body
	if timed, ok := body.(*TimedBody); ok {
		body = timed.ReadCloser
	}
	return &Patient{ReadCloser: body, stall: stall, deadline: http.NewResponseController(w).SetReadDeadline}
}

// Read implements io.Reader.
func (p *Patient) Read(b []byte) (int, error) {
	_ = p.deadline(time.Now().Add(p.stall)) // not there on every carrier
	n, err := p.ReadCloser.Read(b)
	p.whole = p.whole || errors.Is(err, io.EOF)
	return n, err
}

// Done lets the connection be: what follows has its own time. With a body that was
// not read to its end the deadline stays, because the server reads on before it
// answers.
func (p *Patient) Done() {
	if p.whole {
		_ = p.deadline(time.Time{})
	}
}

// PatientWriter writes an answer whose reader may take its time, and may not stop: nobody keeps
// what an answer needs by not reading it. Whoever writes with a deadline of its own sets that.
type PatientWriter struct {
	http.ResponseWriter
	stall time.Duration
	ctrl  *http.ResponseController
	own   bool // whoever writes has set one
}

// atOnce is how much of an answer has to be read within the time of a PatientWriter.
const atOnce = 64 << 10

// NewPatientWriter has the reader of an answer not stop for longer than stall.
func NewPatientWriter(w http.ResponseWriter, stall time.Duration) *PatientWriter {
	return &PatientWriter{ResponseWriter: w, stall: stall, ctrl: http.NewResponseController(w)}
}

// Write implements io.Writer.
func (p *PatientWriter) Write(b []byte) (n int, err error) {
	for {
		if !p.own {
			// The server may read the rest of the request before it sends anything. It is not there on every carrier.
			_ = p.ctrl.SetWriteDeadline(time.Now().Add(RestWithin + p.stall))
		}
		next := b[n:min(len(b), n+atOnce)]
		wrote, err := p.ResponseWriter.Write(next)
		if n += wrote; err != nil || n >= len(b) {
			return n, err
		}
	}
}

// SetWriteDeadline is for http.ResponseController.
func (p *PatientWriter) SetWriteDeadline(t time.Time) error {
	p.own = true
	return p.ctrl.SetWriteDeadline(t)
}

// Unwrap is for http.ResponseController.
func (p *PatientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
