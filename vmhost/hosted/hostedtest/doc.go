// Package hostedtest has what the tests of all places without a machine need: folders to
// share, and a place that is connected, told something, and closed.
package hostedtest
