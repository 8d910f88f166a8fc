package gateway

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

// Code says why a request was not answered by a provider. The values are stable.
type Code string

// Codes of refusals and failures.
const (
	CodeRefused     Code = "refused"      // none of the operations that exist
	CodeProvider    Code = "provider"     // no such provider, or not for this task
	CodeModel       Code = "model"        // not for this task
	CodeHosted      Code = "hosted"       // asks the provider to open an address or run a tool, and the task may not
	CodeBadRequest  Code = "bad-request"  // a body that is not what it should be
	CodeTooLarge    Code = "too-large"    // a body that is too long
	CodeBusy        Code = "busy"         // more bodies at once than there is room for
	CodeBudget      Code = "budget"       // the task's budget is used up
	CodeUnpriced    Code = "unpriced"     // the task has a budget, and the model, or what it is to use, no known price
	CodeNoKey       Code = "no-key"       // none is kept for the provider
	CodeKeyStore    Code = "key-store"    // the place where keys are kept cannot be used
	CodeLoginEnded  Code = "login-ended"  // a new login is needed
	CodeKeyRefused  Code = "key-refused"  // the provider does not take the key
	CodeNoCredit    Code = "no-credit"    // the account has no money left
	CodeDenied      Code = "denied"       // the key is not for this
	CodeLimited     Code = "limited"      // too many requests, for now
	CodeOverloaded  Code = "overloaded"   // the provider has too much to do, or is broken
	CodeUnreachable Code = "unreachable"  // no connection
	CodeProxy       Code = "proxy"        // the proxy does not answer, or not let through
	CodeUntrusted   Code = "tls"          // the certificate is not trusted here
	CodeStalled     Code = "stalled"      // nothing came any more
	CodeRedirect    Code = "redirect"     // sent elsewhere, where no key is taken
	CodeBadAnswer   Code = "bad-answer"   // an answer that is none
	CodeNotProvider Code = "not-provider" // something else answers at this address
)

// Error is a request that a provider did not answer, or refused. It holds no
// secret, no body and no query.
type Error struct {
	Code     Code
	Provider string
	Model    string // of CodeModel and CodeUnpriced
	Host     string // of the provider, "" where none was asked
	Proxy    string // that was used, without password
	Issuer   string // of a certificate that is not trusted
	Status   int    // of the provider's answer, 0 for none
	Err      error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gateway: %s", e.Code)
	for _, p := range [][2]string{{"provider", e.Provider}, {"model", e.Model}, {"host", e.Host}, {"proxy", e.Proxy}, {"issued by", e.Issuer}} {
		if p[1] != "" {
			fmt.Fprintf(&b, ", %s %q", p[0], p[1])
		}
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, ", status %d", e.Status)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Unanswered says what a person is told: the code, and the parameters provider,
// host and status as far as they are known.
func (e *Error) Unanswered() (cause string, params map[string]any) {
	params = map[string]any{}
	if e.Provider != "" {
		params["provider"] = e.Provider
	}
	if e.Host != "" {
		params["host"] = e.Host
	}
	if e.Status != 0 {
		params["status"] = e.Status
	}
	return string(e.Code), params
}

// status and words of what is said to the guest. pi tries again by words and
// numbers in them (its patterns are in a test): those of lasting errors have
// none, those of passing ones have one.
func (e *Error) answer() (status int, message string) {
	who := cmp.Or(e.Provider, "this provider")
	switch e.Code {
	case CodeRefused:
		return http.StatusForbidden, "piwork: this request is none that the gateway passes on"
	case CodeProvider:
		return http.StatusNotFound, "piwork: the task may not use this provider, or there is none of this name"
	case CodeModel:
		return http.StatusForbidden, "piwork: the task may not use this model"
	case CodeHosted:
		return http.StatusForbidden, e.named("piwork: the task may not have the provider open addresses or run tools of its own")
	case CodeBadRequest:
		return http.StatusBadRequest, "piwork: the request cannot be read"
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge, "piwork: the request is too long"
	case CodeBusy:
		return http.StatusServiceUnavailable, "piwork: too many requests at once"
	case CodeBudget:
		return http.StatusPaymentRequired, "piwork: the task is out of budget"
	case CodeUnpriced:
		return http.StatusPaymentRequired, e.named("piwork: the task has a budget, and what this model costs is not known (billing)")
	case CodeNoKey:
		return http.StatusUnauthorized, "piwork: no key is kept for " + who
	case CodeKeyStore:
		return http.StatusUnauthorized, "piwork: the place where keys are kept cannot be used now"
	case CodeLoginEnded:
		return http.StatusUnauthorized, "piwork: the login of " + who + " has ended, a new one is needed"
	case CodeUntrusted:
		return http.StatusBadRequest, "piwork: the certificate of " + who + " is not trusted on this computer"
	case CodeProxy:
		return http.StatusBadGateway, "piwork: connection error: the proxy does not let " + who + " be reached"
	case CodeStalled:
		return http.StatusGatewayTimeout, "piwork: timeout: " + who + " sent nothing any more"
	case CodeRedirect:
		return http.StatusBadRequest, "piwork: " + who + " sends on to another address, where no key is taken"
	case CodeBadAnswer, CodeNotProvider:
		return http.StatusBadGateway, "piwork: upstream request failed: what " + who + " answered cannot be read"
	}
	return http.StatusBadGateway, "piwork: connection error: " + who + " is not reached"
}

// named has after a message which part of the question it is about: in the client's own words, for
// whoever looks what it asked for.
func (e *Error) named(message string) string {
	if e.Err != nil {
		message += ": " + e.Err.Error()
	}
	return message
}
