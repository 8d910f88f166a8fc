package inspect

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Rule allows or refuses requests. Rules of a host are a list: the first that is about a
// request counts.
type Rule struct {
	Allow   bool
	Methods []string // in capitals; none is every method
	Path    Pattern
}

const (
	wordAllow  = "allow"
	wordRefuse = "refuse"
	maxMethods = 16
	maxMethod  = 20 // bytes
)

var errRule = errors.New("a rule is written as: allow GET,POST /path/*/**, or: refuse * /**")

// ParseRule reads a rule as it is written: "allow GET,POST /repos/**". A star is every method.
func ParseRule(s string) (Rule, error) {
	words := strings.Fields(s)
	if len(words) != 3 || words[0] != wordAllow && words[0] != wordRefuse {
		return Rule{}, fmt.Errorf("%q: %w", s, errRule)
	}
	r := Rule{Allow: words[0] == wordAllow}
	if words[1] != "*" {
		r.Methods = strings.Split(words[1], ",")
		for i, m := range r.Methods {
			m = strings.ToUpper(m)
			if !validMethod(m) || never(m) || len(r.Methods) > maxMethods {
				return Rule{}, fmt.Errorf("%q: %q is no method that a rule can be about", s, m)
			}
			r.Methods[i] = m
		}
	}
	var err error
	if r.Path, err = ParsePattern(words[2]); err != nil {
		return Rule{}, err
	}
	return r, nil
}

// ParseRules reads several.
func ParseRules(list []string) ([]Rule, error) {
	out := make([]Rule, 0, len(list))
	for _, s := range list {
		r, err := ParseRule(s)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// String is the rule as ParseRule reads it.
func (r Rule) String() string {
	word, methods := wordRefuse, "*"
	if r.Allow {
		word = wordAllow
	}
	if len(r.Methods) > 0 {
		methods = strings.Join(r.Methods, ",")
	}
	return word + " " + methods + " " + r.Path.String()
}

// about reports whether the rule is about a request.
func (r Rule) about(method string, path Path) bool {
	return (len(r.Methods) == 0 || slices.Contains(r.Methods, method) || method == http.MethodHead && slices.Contains(r.Methods, http.MethodGet)) &&
		r.Path.matches(path, !r.Allow)
}

// Decide judges a request: what no rule is about is refused.
func Decide(rules []Rule, method string, path Path) (allowed bool, reason string) {
	for _, r := range rules {
		if r.about(method, path) {
			if r.Allow {
				return true, ""
			}
			return false, ReasonRule
		}
	}
	return false, ReasonNoRule
}

// validMethod reports whether a method has capital letters and hyphens only.
func validMethod(m string) bool {
	return m != "" && len(m) <= maxMethod && strings.Trim(m, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}

// never reports whether no rule allows a method: one has a server send elsewhere, the other
// has it repeat what it got.
func never(m string) bool { return m == http.MethodConnect || m == http.MethodTrace }
