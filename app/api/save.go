package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"piwork/app/api/answer"
	"piwork/app/problem"
)

// save writes the answer to a GET of this API into a file that the person chose,
// through one beside it. A file that is there is replaced: the dialog asked.
func (a *API) save(ctx context.Context, from, to string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://piwork"+from, nil)
	if err != nil {
		return answer.Simple(http.StatusBadRequest, problem.CodeBadRequest, err.Error())
	}
	req.RequestURI = from
	if _, pattern := a.mux.Handler(req); a.endless[pattern] {
		return problem.BadRequest("from", "%q is nothing that can be saved", from)
	}
	if err := problem.CheckOutput(to); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".piwork-*")
	if err != nil {
		return fmt.Errorf("save %s: %w", to, err)
	}
	w := &saver{header: http.Header{}, file: f}
	err = w.take(a.Handler(), req)
	if err == nil {
		err = ctx.Err() // an answer that was cut off
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// cutOff says that a file did not come whole, and that nothing was made of it.
func cutOff(err error) error {
	p := problem.New(problem.CodeDownloadFailed).By("cut").Because(err)
	p.Fix = []problem.Fix{}
	return p
}

// saver is an http.ResponseWriter into a file. What is no success is kept to be said.
type saver struct {
	header http.Header
	file   io.Writer
	status int
	wrong  bytes.Buffer
	wrote  int64
	err    error
}

// take has the request answered into the file.
func (s *saver) take(h http.Handler, req *http.Request) (err error) {
	defer func() {
		if v := recover(); v != nil { // http.ErrAbortHandler: how an answer is cut off that is under way
			err = cutOff(errors.New("the answer was cut off"))
		}
	}()
	h.ServeHTTP(s, req)
	return s.end()
}

func (s *saver) Header() http.Header { return s.header }

func (s *saver) WriteHeader(status int) {
	s.status = cmp.Or(s.status, status)
}

func (s *saver) Write(b []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	if s.status != http.StatusOK {
		if s.wrong.Len()+len(b) < 1<<20 {
			s.wrong.Write(b)
		}
		return len(b), nil
	}
	n, err := s.file.Write(b)
	s.wrote += int64(n)
	if err != nil {
		s.err = err
	}
	return n, err
}

// end says what went wrong: that an answer is shorter than it said is, too.
func (s *saver) end() error {
	if s.status != 0 && s.status != http.StatusOK {
		var e answer.Error
		if json.Unmarshal(s.wrong.Bytes(), &e) != nil || e.Code == "" {
			return fmt.Errorf("nothing to save: status %d", s.status)
		}
		return &e
	}
	if want := s.header.Get("Content-Length"); s.err == nil && want != "" && want != fmt.Sprint(s.wrote) {
		return cutOff(fmt.Errorf("%d of %s bytes came", s.wrote, want))
	}
	return s.err
}
