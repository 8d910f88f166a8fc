package api_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/app/actions"
	"piwork/app/api"
	"piwork/app/api/apitest"
	"piwork/vmhost/wire"
)

// A program cannot have as many large bodies in memory as it has connections. What it is refused
// it may send when others are through.
func TestLargeBodiesAreBounded(t *testing.T) {
	for _, path := range []string{"/v1/tasks", "/v1/tasks/x/undo", "/v1/tools/image.info"} {
		t.Run(path, func(t *testing.T) {
			s := serveLimited(t, apitest.New(apitest.Script{}), api.Limited, api.Options{BodyWithin: time.Minute, Stall: time.Minute})
			const connections = 16
			answers := make(chan *http.Response, connections)
			var held []net.Conn
			for range connections {
				c := s.dial("POST "+path+" HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: 16000000", "", "{")
				held = append(held, c)
				go func() {
					if res, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil { // those that are let in have none
						answers <- res
					}
				}()
			}
			for range connections - 3 { // a program can have no more than it leaves to others
				if res := <-answers; res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") != "1" {
					t.Fatalf("%+v", res)
				}
			}
			for _, c := range held {
				_ = c.Close()
			}
			body := `{"kind":"exec","argv":["true"],"folders":[],"stdin":"` + strings.Repeat("a", 2<<20) + `"}`
			for tries := 0; ; tries++ {
				c := s.dial("POST /v1/tasks HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(body)), "", body)
				got := s.hear(c)
				if got.status != http.StatusTooManyRequests {
					break
				}
				if tries == 1000 {
					t.Fatal("the room was not given back")
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// waitingWrites wait for a person.
type waitingWrites struct {
	api.Service
	come, yes chan struct{}
}

func (w waitingWrites) WriteFile(context.Context, string, actions.WriteRequest) (wire.FileInfo, error) {
	w.come <- struct{}{}
	<-w.yes
	return wire.FileInfo{}, nil
}

// Large bodies that wait for a person leave room for others.
func TestWaitingBodiesLeaveRoom(t *testing.T) {
	w := waitingWrites{apitest.New(apitest.Script{}), make(chan struct{}), make(chan struct{})}
	s := serveLimited(t, w, api.Limited, api.Options{BodyWithin: time.Minute, Stall: time.Minute})
	defer close(w.yes)
	body := `{"path":"/work/a","data":"` + strings.Repeat("a", 20<<20) + `"}`
	refused := make(chan int, 4)
	for range 4 {
		c := s.dial("POST /v1/tasks/x/files/write HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: "+strconv.Itoa(len(body)), "", body)
		go func() {
			if res, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
				refused <- res.StatusCode
			}
		}()
		select {
		case <-w.come:
		case status := <-refused:
			t.Fatalf("status %d", status)
		}
	}
}

// A body without a length counts as it comes.
func TestBodiesWithoutLength(t *testing.T) {
	s := serveLimited(t, apitest.New(apitest.Script{}), api.Limited, api.Options{BodyWithin: time.Minute, Stall: time.Minute})
	head := []string{"POST /v1/tasks HTTP/1.1", "Host: x", "Content-Type: application/json", "Transfer-Encoding: chunked", ""}
	for range 4 { // they do not end
		s.dial(append(head, "1", "{", "")...)
	}
	body := `{"kind":"exec","argv":["true"],"folders":[]}`
	if got := s.hear(s.dial(append(head, strconv.FormatInt(int64(len(body)), 16), body, "0", "", "")...)); got.status != http.StatusCreated {
		t.Errorf("a small one beside others: %+v", got)
	}
	part := strings.Repeat(" ", 50<<20)
	large := append(head, strconv.FormatInt(int64(len(part)), 16), part, "")
	answers := make(chan *http.Response, 2)
	for range 2 {
		c := s.dial()
		go io.WriteString(c, strings.Join(large, "\r\n"))
		go func() {
			if res, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
				answers <- res
			}
		}()
	}
	if res := <-answers; res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("two large ones: %+v", res)
	}
}
