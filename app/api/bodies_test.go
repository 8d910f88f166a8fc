package api_test

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"piwork/app/api"
	"piwork/app/api/apitest"
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
