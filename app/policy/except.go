package policy

import "strings"

// exceptionOf reads a condition as a rule of its own: who, what, on what, and clauses, all of
// which have to hold. ok is false where any part of it has no words, so that nothing is left
// out of what is said.
func exceptionOf(n node) (s Sentence, ok bool) {
	kind := "" // of what it is about
	for _, part := range conjuncts(n) {
		left, right, in := binary(part, "in")
		equal := false
		if !in {
			left, right, equal = binary(part, "==")
		}
		e, named := entityOf(right)
		of := variable(left)
		switch {
		case named && of == "principal" && in:
			e.Within = true
			s.Who = append(s.Who, e)
			continue
		case named && of == "principal" && equal:
			s.Who = append(s.Who, e)
			continue
		case named && of == "action" && equal:
			s.Actions = append(s.Actions, e.ID)
			continue
		case named && of == "resource":
			e.Within = in
			s.What = append(s.What, e)
			continue
		}
		if is, has := part["is"].(node); has && is["in"] == nil {
			l, _ := is["left"].(node)
			if kind, has = is["entity_type"].(string); has && variable(l) == "resource" {
				continue
			}
		}
		if p, ok := pathOf(part); ok {
			s.What = append(s.What, p)
			continue
		}
		c, ok := clause(part)
		if !ok || c.Name == "principal" || c.Name == "resource" {
			return Sentence{}, false
		}
		s.When = append(s.When, c)
	}
	// More than one of these would be said as if either were enough.
	if len(s.Who) == 0 || len(s.Actions) != 1 || len(s.What) > 1 {
		return Sentence{}, false
	}
	if len(s.What) == 0 && kind != "" {
		s.What = []Ref{{Type: kind}}
	}
	return s, true
}

func conjuncts(n node) []node {
	if left, right, ok := binary(n, "&&"); ok {
		return append(conjuncts(left), conjuncts(right)...)
	}
	return []node{n}
}

func entityOf(n node) (r Ref, ok bool) {
	v, _ := n["Value"].(node)
	e, ok := v["__entity"].(node)
	r.Type, _ = e["type"].(string)
	r.ID, _ = e["id"].(string)
	return r, ok
}

// pathOf reads the comparison of a whole path, alone or with all that is below it.
func pathOf(n node) (r Ref, ok bool) {
	self, below, either := binary(n, "||")
	if either {
		n = self
	}
	c, ok := clause(n)
	if !ok || c.Name != "resource.path" || c.Is != Is || c.Not || len(c.Values) != 1 {
		return r, false
	}
	r = Ref{Type: string(typePath), ID: c.Values[0], Within: either}
	if !either {
		return r, true
	}
	like, _ := below["like"].(node)
	left, _ := like["left"].(node)
	name, _ := attribute(left)
	parts, _ := like["pattern"].([]any)
	if name != "resource.path" || len(parts) != 2 || parts[1] != "Wildcard" {
		return r, false
	}
	l, _ := parts[0].(node)
	prefix, _ := l["Literal"].(string)
	rest, cut := strings.CutPrefix(prefix, r.ID)
	return r, cut && rest == "/"
}
