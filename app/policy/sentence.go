package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	cedar "github.com/cedar-policy/cedar-go"
)

// Sentence is a rule as package words says it: who, does what, on what, when. What has no
// words of its own is there as Cedar.
type Sentence struct {
	Who     []Ref
	Actions []string // none is all
	What    []Ref
	When    []Clause
	Except  []Sentence // what it is not about, without exceptions of their own
}

// Ref is an entity, or all of a type where ID is "".
type Ref struct {
	Type, ID string
	Within   bool // and everything in it
}

// Clause is one condition; all of them have to hold.
type Clause struct {
	Not    bool
	Name   string // of the attribute: of the context, or "principal." or "resource." and one of those
	Is     string // "is" (one of), "below" (at most), "above" (at least), "like", "in", "only" (nothing but)
	Values []string
	Cedar  string // the condition as it is written, where it is none of these
}

// What Clause.Is can be.
const (
	Is    = "is"
	Below = "below"
	Above = "above"
	Like  = "like"
	In    = "in"
	Only  = "only"
)

type node = map[string]any

// sentenceOf reads a rule.
func sentenceOf(p *cedar.Policy) (s Sentence, err error) {
	data, err := p.MarshalJSON()
	if err != nil {
		return s, err
	}
	var tree struct {
		Principal, Action, Resource node
		Conditions                  []struct {
			Kind string
			Body node
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return s, err
	}
	s.Who, s.What = scopeOf(tree.Principal), scopeOf(tree.Resource)
	for _, a := range scopeOf(tree.Action) {
		s.Actions = append(s.Actions, a.ID)
	}
	for i, c := range tree.Conditions {
		text := conditionText(p, i)
		if e, ok := exceptionOf(c.Body); ok && c.Kind == "unless" {
			s.Except = append(s.Except, e)
		} else if c.Kind == "unless" {
			s.When = append(s.When, unless(c.Body, text)...)
		} else {
			s.When = append(s.When, when(c.Body, text)...)
		}
	}
	return s, nil
}

// scopeOf are the entities of a scope.
func scopeOf(n node) []Ref {
	op, _ := n["op"].(string)
	ref := func(v any, within bool) (r Ref) {
		e, _ := v.(node)
		r.Type, _ = e["type"].(string)
		r.ID, _ = e["id"].(string)
		r.Within = within
		return r
	}
	switch op {
	case "==":
		return []Ref{ref(n["entity"], false)}
	case "in":
		if list, ok := n["entities"].([]any); ok {
			out := make([]Ref, len(list))
			for i, e := range list {
				out[i] = ref(e, true)
			}
			return out
		}
		return []Ref{ref(n["entity"], true)}
	case "is":
		if in, ok := n["in"].(node); ok {
			return []Ref{ref(in["entity"], true)}
		}
		t, _ := n["entity_type"].(string)
		return []Ref{{Type: t}}
	}
	return nil
}

// conditionText is a condition of a rule as Cedar.
func conditionText(p *cedar.Policy, i int) string {
	one := *p.AST()
	one.Conditions = one.Conditions[i : i+1]
	text := string(cedar.NewPolicyFromAST(&one).MarshalCedar())
	if at := strings.IndexByte(text, '{'); at >= 0 {
		text = strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(text[at+1:], ";")), "}")
	}
	return oneLine(text)
}

// when are the clauses of a condition that has to hold.
func when(n node, text string) []Clause {
	if left, right, ok := binary(n, "&&"); ok {
		l, r := when(left, ""), when(right, "")
		if !opaque(l) && !opaque(r) {
			return append(l, r...)
		}
		return []Clause{{Cedar: text}}
	}
	c, ok := clause(n)
	if !ok {
		c = Clause{Cedar: text}
	}
	return []Clause{c}
}

// unless are the clauses of a condition that must not hold: of a choice, none of its parts.
func unless(n node, text string) []Clause {
	if left, right, ok := binary(n, "||"); ok {
		l, r := unless(left, ""), unless(right, "")
		if !opaque(l) && !opaque(r) {
			return append(l, r...)
		}
		return []Clause{{Not: true, Cedar: text}}
	}
	c, ok := clause(n)
	if !ok {
		c = Clause{Cedar: text}
	}
	c.Not = !c.Not
	return []Clause{c}
}

func opaque(list []Clause) bool {
	for _, c := range list {
		if c.Name == "" {
			return true
		}
	}
	return false
}

func binary(n node, op string) (left, right node, ok bool) {
	both, ok := n[op].(node)
	if !ok {
		return nil, nil, false
	}
	left, _ = both["left"].(node)
	right, _ = both["right"].(node)
	return left, right, left != nil && right != nil
}

// clause reads a condition that has words.
func clause(n node) (c Clause, ok bool) {
	if not, ok := n["!"].(node); ok {
		arg, _ := not["arg"].(node)
		c, ok = clause(arg)
		c.Not = !c.Not
		return c, ok
	}
	for op, is := range map[string]string{"==": Is, "!=": Is, "<": Below, "<=": Below, ">": Above, ">=": Above, "in": In} {
		left, right, has := binary(n, op)
		if !has {
			continue
		}
		name, named := attribute(left)
		value, valued := literal(right)
		if is == In {
			name, named = variable(left), variable(left) != ""
		}
		if !named || !valued {
			return c, false
		}
		if op == "<" || op == ">" {
			value = op + value // words say which side is in
		}
		return Clause{Name: name, Is: is, Values: []string{value}, Not: op == "!="}, true
	}
	if left, right, has := binary(n, "containsAll"); has { // [a, b].containsAll(attribute)
		c.Is = Only
		if c.Name, ok = attribute(right); !ok {
			return c, false
		}
		c.Values, ok = literals(left)
		return c, ok
	}
	if empty, has := n["isEmpty"].(node); has {
		arg, _ := empty["arg"].(node)
		c.Is = Only
		c.Name, ok = attribute(arg)
		return c, ok
	}
	if left, right, has := binary(n, "contains"); has { // [a, b].contains(attribute), attribute.contains(a)
		if _, ok := left["Set"].([]any); ok {
			c.Is = Is
			if c.Name, ok = attribute(right); !ok {
				return c, false
			}
			c.Values, ok = literals(left)
			return c, ok && len(c.Values) > 0
		}
		value, valued := literal(right)
		c.Name, ok = attribute(left)
		c.Is, c.Values = Is, []string{value}
		return c, ok && valued
	}
	if like, has := n["like"].(node); has {
		left, _ := like["left"].(node)
		c.Name, ok = attribute(left)
		c.Is = Like
		var text strings.Builder
		parts, _ := like["pattern"].([]any)
		for _, p := range parts {
			if l, is := p.(node); is {
				s, _ := l["Literal"].(string)
				text.WriteString(s)
				continue
			}
			text.WriteByte('*')
		}
		c.Values = []string{text.String()}
		return c, ok
	}
	if name, is := attribute(n); is { // one that is true or false
		return Clause{Name: name, Is: Is, Values: []string{"true"}}, true
	}
	return c, false
}

// literals are the values of a set.
func literals(n node) (out []string, ok bool) {
	list, ok := n["Set"].([]any)
	for _, v := range list {
		e, _ := v.(node)
		s, ok := literal(e)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, ok
}

func variable(n node) string {
	s, _ := n["Var"].(string)
	return s
}

// attribute is the name of an attribute that a condition is about.
func attribute(n node) (string, bool) {
	dot, ok := n["."].(node)
	if !ok {
		return "", false
	}
	left, _ := dot["left"].(node)
	name, _ := dot["attr"].(string)
	switch of := variable(left); of {
	case "context":
		return name, true
	case "principal", "resource":
		return of + "." + name, true
	}
	return "", false
}

// literal is a value that stands in a rule.
func literal(n node) (string, bool) {
	if v, ok := n["Value"]; ok {
		if e, ok := v.(node); ok {
			in, _ := e["__entity"].(node)
			id, ok := in["id"].(string)
			return id, ok
		}
		return fmt.Sprint(v), true
	}
	for _, of := range []string{"datetime", "ip", "duration", "decimal"} {
		if args, ok := n[of].([]any); ok && len(args) == 1 {
			in, _ := args[0].(node)
			return literal(in)
		}
	}
	return "", false
}
