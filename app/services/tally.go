package services

import (
	"slices"

	"piwork/app/audit"
)

// alike are what entries are told apart by.
type alike struct {
	by                                  *audit.Record // for whom, where that matters
	service, method, host, path, reason string
	status                              int
	allowed                             bool
}

// methods are those that entries without a path are told apart by: a guest makes up others.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// tally counts requests by kind. Of those that are allowed and of those that are not it holds
// so many each; then others count together, by service, host and method, without a path. They
// are bounded by the sites of a task.
type tally struct {
	most  [2]int // refused, allowed
	kinds map[alike]*TaskRequest
	own   [2]int // that are no others, likewise
}

// room reports whether a request counts by itself where there is room for so many of its class.
func (t *tally) room(by *audit.Record, e TaskRequest, most int) bool {
	return t.kinds[kind(by, e)] != nil || t.own[class(e)] < most
}

// add counts requests, and reports whether they count by themselves.
func (t *tally) add(by *audit.Record, e TaskRequest) bool {
	own := t.room(by, e, t.most[class(e)])
	if !own {
		e.Path, e.Reason, e.Status = "", "", 0
		if !slices.Contains(methods, e.Method) {
			e.Method = ""
		}
	}
	key := kind(by, e)
	have := t.kinds[key]
	if have == nil {
		if t.kinds == nil {
			t.kinds = map[alike]*TaskRequest{}
		}
		if t.kinds[key] = &e; !others(e) {
			t.own[class(e)]++
		}
		return own
	}
	have.Count, have.Sent, have.Received = have.Count+e.Count, have.Sent+e.Sent, have.Received+e.Received
	if e.Last.After(have.Last) {
		have.Last = e.Last
	}
	return own
}

func kind(by *audit.Record, e TaskRequest) alike {
	return alike{by, e.Service, e.Method, e.Host, e.Path, e.Reason, e.Status, e.Allowed}
}

// others reports whether an entry is one of many: each request by itself has a path, or a
// reason why it has none.
func others(e TaskRequest) bool { return e.Path == "" && e.Reason == "" && e.Status == 0 }

// class is the place of an entry in numbers by class.
func class(e TaskRequest) int {
	if e.Allowed {
		return 1
	}
	return 0
}
