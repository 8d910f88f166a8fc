package app

import (
	"testing"

	"piwork/app/gateway/gatewaytest"
)

// PiOutside is a controller with [fakePi], for tests that come from outside, over the
// API, which imports this package. said is told every line of pi before it is said.
func PiOutside(t *testing.T, reply func(gatewaytest.Question) gatewaytest.Turn, said func([]byte)) *Controller {
	t.Helper()
	server := gatewaytest.New(testKey)
	t.Cleanup(server.Close)
	server.Reply(reply)
	w := aiWorld(t, "", server.URL)
	w.onLine = said
	return openPi(t, w, nil)
}

// Followed reports whether somebody follows the agent of a task.
func Followed(c *Controller, id string) bool {
	l := c.Live(id)
	return l != nil && l.Followed()
}
