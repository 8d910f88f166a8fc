package main

import (
	"fmt"
	"slices"
	"strings"
)

var python = language{
	text: "str", number: "float", integer: "int", truth: "bool", any: "Any",
	list:    func(s string) string { return "list[" + s + "]" },
	dict:    func(s string) string { return "dict[str, " + s + "]" },
	literal: func(s []string) string { return "Literal[" + strings.Join(s, ", ") + "]" },
	union:   func(s []string) string { return "Union[" + strings.Join(s, ", ") + "]" },
	name:    func(s string) string { return s },
}

// pythonWords cannot be names.
var pythonWords = strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func pythonName(name string) string {
	name = snake(name)
	if slices.Contains(pythonWords, name) {
		return name + "_"
	}
	return name
}

// pythonTypes are TypedDicts: what goes in and out stays as it is in JSON.
func pythonTypes(all []schema) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# ruff: noqa\nfrom __future__ import annotations\n\nfrom typing import TYPE_CHECKING, Any, Literal, TypedDict, Union\n\n", madeBy)
	b.WriteString("if TYPE_CHECKING:\n    from typing_extensions import NotRequired, TypeAlias\n")
	for _, s := range all {
		if len(s.Properties) == 0 {
			fmt.Fprintf(&b, "\n%s: TypeAlias = %q\n", s.name, python.of(s.Schema))
			continue
		}
		member := func(name string) string {
			t := python.of(s.Properties[name])
			if !slices.Contains(s.Required, name) {
				t = "NotRequired[" + t + "]"
			}
			return t
		}
		if slices.ContainsFunc(s.members(), func(m string) bool { return slices.Contains(pythonWords, m) || strings.ContainsAny(m, "-.") }) {
			fmt.Fprintf(&b, "\n%s = TypedDict(%q, {\n", s.name, s.name)
			for _, m := range s.members() {
				fmt.Fprintf(&b, "    %q: %q,\n", m, strings.ReplaceAll(member(m), `"`, "'"))
			}
			b.WriteString("})\n")
			continue
		}
		fmt.Fprintf(&b, "\nclass %s(TypedDict):\n", s.name)
		for _, m := range s.members() {
			fmt.Fprintf(&b, "    %s: %s\n", m, member(m))
		}
	}
	return b.String()
}

// pythonOperations are a class that waits, or one whose methods are coroutines.
func pythonOperations(all []operation, async bool) string {
	name, def, wait, stream := "Operations", "def", "", "Iterator"
	if async {
		name, def, wait, stream = "AsyncOperations", "async def", "await ", "AsyncIterator"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# ruff: noqa\nfrom __future__ import annotations\n\nfrom typing import Any, %s, Union\n\nfrom ._types import *\n", madeBy, stream)
	fmt.Fprintf(&b, "\n\nclass %s:\n    _call: Any\n    _stream: Any\n    _pages: Any\n", name)
	for _, o := range all {
		args := []string{"self"}
		var given []string
		for _, p := range o.inPath {
			args = append(args, pythonName(p)+": str")
		}
		if o.body != "" {
			arg := "body: " + o.body
			if !o.must {
				arg = "body: Union[" + o.body + ", None] = None"
			}
			args, given = append(args, arg), append(given, "body=body")
		}
		if len(o.query) > 0 {
			args = append(args, "*")
		}
		var query []string
		for _, q := range o.query {
			t := python.of(q.schema)
			if q.must {
				args = append(args, pythonName(q.name)+": "+t)
			} else {
				args = append(args, pythonName(q.name)+": Union["+t+", None] = None")
			}
			query = append(query, fmt.Sprintf("%q: %s", q.name, pythonName(q.name)))
		}
		if len(query) > 0 {
			given = append(given, "query={"+strings.Join(query, ", ")+"}")
		}
		params := make([]string, len(o.inPath))
		for i, p := range o.inPath {
			params[i] = fmt.Sprintf("%q: %s", p, pythonName(p))
		}
		if len(params) > 0 {
			given = append(given, "path={"+strings.Join(params, ", ")+"}")
		}
		answer, do, how := "None", "_call", def
		switch o.answer {
		case isJSON:
			answer = python.of(o.schema)
		case isBytes:
			answer = "bytes"
		case isStream:
			answer, do, how = stream+"["+python.of(o.schema)+"]", "_stream", "def"
			if o.endless {
				given = append(given, "endless=True")
			}
		}
		if o.pages {
			fmt.Fprintf(&b, "\n    def %s(%s) -> %s[%s]:\n        %q\n        return self._pages(%s)\n", pythonName(o.all()), strings.Join(args, ", "), stream, python.of(o.schema.Items), o.summary+", page by page",
				strings.Join(append([]string{fmt.Sprintf("%q, %q", o.method, o.path)}, given...), ", "))
		}
		w := wait
		if o.answer == isStream {
			w = ""
		}
		fmt.Fprintf(&b, "\n    %s %s(%s) -> %s:\n        %q\n        return %sself.%s(%s)\n", how, pythonName(o.id), strings.Join(args, ", "), answer, o.summary, w, do,
			strings.Join(append([]string{fmt.Sprintf("%q, %q", o.method, o.path)}, given...), ", "))
	}
	return b.String()
}
