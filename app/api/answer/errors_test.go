package answer

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

// What a request becomes in memory is bounded, as its bytes are, and so is what is said of it.
func TestUnmarshalBounds(t *testing.T) {
	for text, fits := range map[string]bool{
		"[" + strings.Repeat("[],", maxNested-2) + "[]]": true, "[" + strings.Repeat("[],", maxNested-1) + "[]]": false,
		strings.Repeat(`{"":`, maxNested+1) + "0" + strings.Repeat("}", maxNested+1): false,
		"[" + strings.Repeat("0,", maxValues) + "0]":                                 true, "[" + strings.Repeat("0,", maxValues+1) + "0]": false,
		`"` + strings.Repeat(`[,\"`, maxValues) + `"`: true, `["\\",` + strings.Repeat("[],", maxNested) + "[]]": false,
	} {
		var v any
		if err := Unmarshal([]byte(text), &v); fits != (err == nil) {
			t.Errorf("%.20s…, %d bytes: %v", text, len(text), err)
		}
	}
	if e, ok := Invalid(http.StatusUnprocessableEntity, "validation failed", slices.Repeat([]error{errors.New("x")}, 2*maxErrors)...).(*Error); !ok || len(e.Errors) != maxErrors {
		t.Errorf("%d errors", len(e.Errors))
	}
}

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
