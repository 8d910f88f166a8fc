package main

import (
	"fmt"
	"slices"
	"strings"
)

var typescript = language{
	text: "string", number: "number", integer: "number", truth: "boolean", any: "unknown",
	list: func(s string) string {
		if strings.Contains(s, " | ") {
			return "(" + s + ")[]"
		}
		return s + "[]"
	},
	dict:    func(s string) string { return "Record<string, " + s + ">" },
	literal: func(s []string) string { return strings.Join(s, " | ") },
	union:   func(s []string) string { return strings.Join(s, " | ") },
	name:    func(s string) string { return s },
}

func typescriptTypes(all []schema) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n", madeBy)
	typescriptSchemas(&b, all, typescript)
	return b.String()
}

func typescriptSchemas(b *strings.Builder, all []schema, typescript language) {
	for _, s := range all {
		b.WriteByte('\n')
		if s.Description != "" {
			fmt.Fprintf(b, "/** %s */\n", s.Description)
		}
		if len(s.Properties) == 0 {
			fmt.Fprintf(b, "export type %s = %s;\n", s.name, typescript.of(s.Schema))
			continue
		}
		fmt.Fprintf(b, "export interface %s {\n", s.name)
		for _, m := range s.members() {
			if about := s.Properties[m].Description; about != "" {
				fmt.Fprintf(b, "  /** %s */\n", about)
			}
			optional := "?"
			if slices.Contains(s.Required, m) {
				optional = ""
			}
			name := m
			if strings.ContainsAny(m, "-.") {
				name = fmt.Sprintf("%q", m)
			}
			fmt.Fprintf(b, "  %s%s: %s;\n", name, optional, typescript.of(s.Properties[m]))
		}
		b.WriteString("}\n")
	}
}

// typescriptWindow has the operations of windows; own are the types that these alone have.
func typescriptWindow(all []operation, own, known []schema) string {
	in := typescript
	in.name = func(s string) string {
		if slices.ContainsFunc(known, func(k schema) bool { return k.name == s }) {
			return "T." + s
		}
		return s
	}
	var b strings.Builder
	typescriptSchemas(&b, own, in)
	b.WriteString("\n/** The operations of windows, and all others. */\nexport abstract class WindowOperations extends Operations {")
	typescriptMethods(&b, all, in)
	b.WriteString("}\n")
	imports := "import { Operations } from '$sdk/operations.gen';\n"
	if strings.Contains(b.String(), "T.") {
		imports += "import type * as T from '$sdk/types.gen';\n"
	}
	return fmt.Sprintf("// %s\n\n%s%s", madeBy, imports, b.String())
}

func typescriptOperations(all []operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\nimport type * as T from './types.gen.ts';\n\n", madeBy)
	b.WriteString(`/** What an operation needs of a way to the controller. */
export interface Asked {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  endless?: boolean; // a stream that goes on where the server ends it, until an event says that it is over
}

/** Where the page after a page of a list is, by the header Link of the answer (RFC 8288). */
export function nextPage(link: string | null | undefined): string | undefined {
  return /<(\/v1\/[^>]*)>; rel="next"/.exec(link ?? '')?.[1];
}

/** One function for each operation. */
export abstract class Operations {
  protected abstract call(method: string, path: string, asked?: Asked): Promise<unknown>;
  protected abstract stream(method: string, path: string, asked?: Asked): AsyncIterable<unknown>;
  /** The entries of a list; a page is asked for when the one before was used up. */
  protected abstract pages(method: string, path: string, asked?: Asked): AsyncIterable<unknown>;
`)
	in := typescript
	in.name = func(s string) string { return "T." + s }
	typescriptMethods(&b, all, in)
	b.WriteString("}\n")
	return b.String()
}

func typescriptMethods(b *strings.Builder, all []operation, in language) {
	for _, o := range all {
		var args, given []string
		if len(o.inPath) > 0 {
			for _, p := range o.inPath {
				args = append(args, p+": string")
			}
			given = append(given, "path: { "+strings.Join(o.inPath, ", ")+" }")
		}
		if o.body != "" {
			arg := "body: " + in.name(o.body)
			if !o.must {
				arg = "body?: " + in.name(o.body)
			}
			args, given = append(args, arg), append(given, "body")
		}
		if len(o.query) > 0 {
			var fields []string
			must := false
			for _, q := range o.query {
				optional := "?"
				if q.must {
					optional, must = "", true
				}
				fields = append(fields, q.name+optional+": "+in.of(q.schema))
			}
			arg := "query: { " + strings.Join(fields, "; ") + " }"
			if !must {
				arg += " = {}"
			}
			args, given = append(args, arg), append(given, "query")
		}
		answer, do := "void", "call"
		switch o.answer {
		case isJSON:
			answer = in.of(o.schema)
		case isBytes:
			answer = "Uint8Array"
		case isStream:
			answer, do = in.of(o.schema), "stream"
			if o.endless {
				given = append(given, "endless: true")
			}
		}
		what := "Promise<" + answer + ">"
		if o.answer == isStream {
			what = "AsyncIterable<" + answer + ">"
		}
		asked := ""
		if len(given) > 0 {
			asked = ", { " + strings.Join(given, ", ") + " }"
		}
		if o.pages {
			fmt.Fprintf(b, "\n  /** %s, page by page */\n  %s(%s): AsyncIterable<%s> {\n    return this.pages('%s', '%s'%s) as AsyncIterable<%s>;\n  }\n", o.summary, o.all(), strings.Join(args, ", "), in.of(o.schema.Items), o.method, o.path, asked, in.of(o.schema.Items))
		}
		fmt.Fprintf(b, "\n  /** %s */\n  %s(%s): %s {\n    return this.%s('%s', '%s'%s) as %s;\n  }\n", o.summary, o.id, strings.Join(args, ", "), what, do, o.method, o.path, asked, what)
	}
}
