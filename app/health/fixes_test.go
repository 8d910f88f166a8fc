package health

import (
	"errors"
	"testing"

	"piwork/app/problem"
)

// A second question to an administrator waits for nobody: it is refused.
func TestMendOneAtATime(t *testing.T) {
	h := New(Options{})
	h.mending.Lock()
	defer h.mending.Unlock()
	var p *problem.Problem
	if _, err := h.Mend(t.Context(), MendRequest{Fix: problem.FixKVMGroup}); !errors.As(err, &p) || p.Code != problem.CodeBadRequest {
		t.Errorf("while one is asked already: %v", err)
	}
}
