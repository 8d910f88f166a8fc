package answer

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

func TestInvalidRequestsAreNotRepeated(t *testing.T) {
	d := &huma.ErrorDetail{Message: "expected length <= 1024", Location: "body.secret", Value: "ghp_0123456789"}
	e, ok := Invalid(http.StatusUnprocessableEntity, "validation failed", d).(*Error)
	if !ok || len(e.Errors) != 1 || e.Errors[0].Message != d.Message || e.Errors[0].Location != d.Location {
		t.Fatalf("%+v", e)
	}
	if text, err := json.Marshal(e); err != nil || strings.Contains(string(text), "ghp_") || strings.Contains(e.Errors[0].Error(), "ghp_") {
		t.Errorf("the answer has what was sent: %s, %v", text, err)
	}
	if d.Value == nil {
		t.Error("the error of others is changed")
	}
}
