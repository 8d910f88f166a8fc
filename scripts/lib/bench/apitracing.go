package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"piwork/app/client"
	"piwork/app/telemetry"
)

// tracing is what requests take of the processor while each is traced and sent to an endpoint of this computer,
// beside the same requests to the same process while nothing is: the list of tasks, and one
// that asks for nearly nothing, where it is most of what is done.
func (p *apiRoom) tracing() {
	var came atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if n, _ := io.Copy(io.Discard, r.Body); strings.HasSuffix(r.URL.Path, "/v1/traces") {
			came.Add(n)
		}
	}))
	defer endpoint.Close()
	p.run(p.piwork, func(s *process) {
		rt := client.Socket(s.socket)
		defer rt.(*http.Transport).CloseIdleConnections()
		to := &http.Client{Transport: rt}
		ask := func(method, path, body string) {
			r := must(http.NewRequestWithContext(context.Background(), method, "http://piwork"+path, strings.NewReader(body)))
			r.Header.Set("Content-Type", "application/json")
			res, err := to.Do(r)
			check(err)
			defer res.Body.Close()
			must(io.Copy(io.Discard, res.Body))
			if res.StatusCode != http.StatusOK {
				failf("%s %s is answered by %s", method, path, res.Status)
			}
		}
		compare := func(name, what, path string, requests int) {
			turn := func(address string) func() float64 {
				return func() float64 {
					p.rest(2 * time.Second) // one program may make so many requests in a second
					before := usageOf(s.pid).cpu
					ask(http.MethodPut, "/v1/settings/telemetry", string(must(json.Marshal(telemetry.Settings{Endpoint: address}))))
					for range requests {
						ask(http.MethodGet, path, "")
					}
					ask(http.MethodPut, "/v1/settings/telemetry", `{"endpoint":""}`) // what waits is sent
					return usageOf(s.pid).cpu - before
				}
			}
			turn(endpoint.URL)() // warm
			ours, theirs := inTurn(p.runs, turn(endpoint.URL), turn(""))
			p.add(row{
				Name: name, Unit: "ms of processor", Ours: median(ours), Comparator: median(theirs), Runs: p.runs,
				ComparatorName: fmt.Sprintf("the same %d requests (%s), one after the other, while nothing is traced", requests, what),
			})
		}
		compare("api/tracing/overhead", "GET /v1/tasks", "/v1/tasks", 200)
		compare("api/tracing/smallest", "GET /v1/tokens", "/v1/tokens", 400)
	})
	if came.Load() == 0 {
		failf("nothing was traced")
	}
}
