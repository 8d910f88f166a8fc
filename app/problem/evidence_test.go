package problem

import (
	"errors"
	"testing"

	"piwork/vmhost"
)

// What an error says already is not said again below it.
func TestEvidenceIsSaidOnce(t *testing.T) {
	refused := "dial tcp 127.0.0.1:1: connect: connection refused"
	err := &vmhost.FailedError{Runtime: "remote", Reason: vmhost.ReasonRemoteUnreachable, Err: errors.New(refused), Detail: refused + "\n"}
	if p := From(err); p.Details != err.Error() {
		t.Errorf("%q", p.Details)
	}
	err.Detail = "ssh: no route"
	if p := From(err); p.Details != err.Error()+"\nssh: no route" {
		t.Errorf("%q", p.Details)
	}
}
