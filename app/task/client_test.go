package task

import (
	"testing"

	"piwork/vmhost"
)

// What a client asks for has no weaker place than it may, whatever the request says.
func TestRequireApart(t *testing.T) {
	client := WithClient(t.Context(), "ci@12345678")
	for said, want := range map[vmhost.Isolation]vmhost.Isolation{
		"": vmhost.IsolationNamespace, "?": vmhost.IsolationNamespace, vmhost.IsolationNone: vmhost.IsolationNamespace,
		vmhost.IsolationNamespace: vmhost.IsolationNamespace, vmhost.IsolationHardware: vmhost.IsolationHardware,
	} {
		r := &vmhost.Requirement{AtLeast: said, Kinds: []string{vmhost.KindSandbox}}
		if got := RequireApart(client, r); got.AtLeast != want || len(got.Kinds) != 1 || r.AtLeast != said {
			t.Errorf("%q: %+v of %+v", said, got, r)
		}
		if got := RequireApart(t.Context(), r); got != r {
			t.Errorf("%q, the person: %+v", said, got)
		}
	}
	if got := RequireApart(client, nil); got == nil || got.AtLeast != vmhost.IsolationNamespace {
		t.Errorf("%+v", got)
	}
}
