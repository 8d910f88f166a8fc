package provider

import (
	"encoding/json"
	"net/http"
)

// kinds are the names of errors by status: Anthropic's, OpenAI's, Google's.
var kinds = map[int][3]string{
	http.StatusBadRequest:            {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"},
	http.StatusUnauthorized:          {"authentication_error", "authentication_error", "UNAUTHENTICATED"},
	http.StatusPaymentRequired:       {"billing_error", "insufficient_quota", "RESOURCE_EXHAUSTED"},
	http.StatusForbidden:             {"permission_error", "permission_error", "PERMISSION_DENIED"},
	http.StatusNotFound:              {"not_found_error", "not_found_error", "NOT_FOUND"},
	http.StatusMethodNotAllowed:      {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"},
	http.StatusRequestEntityTooLarge: {"request_too_large", "invalid_request_error", "INVALID_ARGUMENT"},
	http.StatusUnsupportedMediaType:  {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"},
	http.StatusServiceUnavailable:    {"overloaded_error", "server_error", "UNAVAILABLE"},
}

// ErrorBody is an error in the shape of a protocol's own, so that its clients
// show the message. code is piwork's own word for it.
func ErrorBody(p Protocol, status int, code, message string) []byte {
	k, ok := kinds[status]
	if !ok {
		k = [3]string{"api_error", "server_error", "INTERNAL"}
	}
	var v any
	switch p {
	case Anthropic:
		v = map[string]any{"type": "error", "error": map[string]any{"type": k[0], "message": message, "code": code}}
	case Google:
		v = map[string]any{"error": map[string]any{"code": status, "message": message, "status": k[2],
			"details": []any{map[string]any{"reason": code}}}}
	default:
		v = map[string]any{"error": map[string]any{"message": message, "type": k[1], "param": nil, "code": code}}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"error":{}}`)
	}
	return b
}
