package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"piwork/app/cli/terminal"
	"piwork/app/problem"
)

// copyTo gives a setting of one document the value of another.
func (s setting) copyTo(to *Values, from Values) error {
	var n yaml.Node
	if err := n.Encode(s.get(&from)); err != nil {
		return err
	}
	return s.read(to, &n)
}

// same reports whether a setting has one value in two documents.
func (s setting) same(a, b Values) bool { return reflect.DeepEqual(s.get(&a), s.get(&b)) }

// merge applies to now what a person made of base, setting by setting: what stayed as it was
// in base is as it is now. In both are the settings that have a third value now.
func merge(base, edited, now Values) (out Values, both []setting, err error) {
	out = now
	for _, s := range settings {
		switch {
		case s.same(base, edited) || s.same(edited, now):
		case s.same(base, now):
			err = errors.Join(err, s.copyTo(&out, edited))
		default:
			both = append(both, s)
		}
	}
	return out, both, err
}

// conflicted says which settings were changed twice, and both values of each.
func conflicted(both []setting, edited, now Values) error {
	var keys, values []string
	for _, s := range both {
		keys = append(keys, s.key)
		values = append(values, terminal.Text("config-both", "key", s.key, "yours", fmt.Sprint(s.get(&edited)), "now", fmt.Sprint(s.get(&now))))
	}
	p := problem.New(problem.CodeSettingsChanged).With("settings", keys)
	p.Details = strings.Join(values, "\n")
	return p
}

// isConflict reports whether an error is conflicted.
func isConflict(err error) bool {
	var p *problem.Problem
	return errors.As(err, &p) && p.Code == problem.CodeSettingsChanged
}
