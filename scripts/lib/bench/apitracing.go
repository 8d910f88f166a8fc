package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"piwork/app/client"
	"piwork/app/telemetry"
)

// traced is how many requests one turn has.
const traced = 400

// tracing is what requests take while each is traced and sent to an endpoint of this computer,
// beside the same requests to the same process while nothing is.
func (p *apiRoom) tracing() {
	spans := 0
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if n, _ := io.Copy(io.Discard, r.Body); n > 0 && strings.HasSuffix(r.URL.Path, "/v1/traces") {
			spans++
		}
	}))
	defer endpoint.Close()
	p.run(p.piwork, func(s *process) {
		rt := client.Socket(s.socket)
		defer rt.(*http.Transport).CloseIdleConnections()
		to := &http.Client{Transport: rt}
		ask := func(method, path string, body any) {
			r := must(http.NewRequestWithContext(context.Background(), method, "http://piwork"+path, strings.NewReader(string(must(json.Marshal(body))))))
			r.Header.Set("Content-Type", "application/json")
			res := must(to.Do(r))
			must(io.Copy(io.Discard, res.Body))
			_ = res.Body.Close()
			if res.StatusCode != http.StatusOK {
				failf("%s %s is answered by %s", method, path, res.Status)
			}
		}
		turn := func(address string) func() time.Duration {
			return func() time.Duration {
				ask(http.MethodPut, "/v1/settings/telemetry", telemetry.Settings{Endpoint: address})
				return timed(func() {
					for range traced {
						get := must(http.NewRequestWithContext(context.Background(), http.MethodGet, "http://piwork/v1/tasks", nil))
						res := must(to.Do(get))
						must(io.Copy(io.Discard, res.Body))
						_ = res.Body.Close()
						if res.StatusCode == http.StatusTooManyRequests {
							failf("more requests than one program may make")
						}
					}
				})
			}
		}
		turn(endpoint.URL)() // warm
		turn("")()
		p.compare("api/tracing/overhead", "the same 400 requests for the list of tasks, one after the other, while nothing is traced", turn(endpoint.URL), turn(""))
	})
	if spans == 0 {
		failf("nothing was traced")
	}
}
