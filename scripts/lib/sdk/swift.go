package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

var swift = language{
	text: "String", number: "Double", integer: "Int", truth: "Bool", any: "JSON",
	formats: map[string]string{"date-time": "Date", "base64": "Data"},
	list:    func(s string) string { return "[" + s + "]" },
	dict:    func(s string) string { return "[String: " + s + "]" },
	literal: func([]string) string { return "String" }, // members have types of their own: swiftMember
	union:   func([]string) string { return "JSON" },
	name:    swiftType,
}

// swiftOwn are types that others hide where a schema has their name.
var swiftOwn = strings.Fields("Any Bool Data Date Double ETag EventStream Int JSON OpenEnum Pages Piwork Protocol Self StartedTask String TaggedRecord Type")

// swiftType is the name of a schema's type.
func swiftType(name string) string {
	if slices.Contains(swiftOwn, name) {
		return name + "Value"
	}
	return name
}

// swiftWords are names only in backticks.
var swiftWords = strings.Fields("as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate for func guard if import in init inout internal is let nil operator precedencegroup private protocol public repeat rethrows return self static struct subscript super switch throw throws true try var where while Any Self")

func swiftName(name string) string {
	if slices.Contains(swiftWords, name) {
		return "`" + name + "`"
	}
	return name
}

// swiftCase is the name of a value: "up-to-date" is upToDate, "9p" is _9p. "none" has a line
// behind it, since .none would be an optional that is nil.
func swiftCase(value string) string {
	var b strings.Builder
	for i, word := range strings.FieldsFunc(value, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		switch {
		case word == strings.ToUpper(word):
			word = strings.ToLower(word)
			fallthrough
		default:
			if i > 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
		}
		b.WriteString(word)
	}
	name := b.String()
	switch {
	case name == "" || unicode.IsDigit(rune(name[0])):
		return "_" + name
	case name == "none":
		return "none_"
	}
	return swiftName(name)
}

// swiftEnum writes an enumeration that may get more values.
func swiftEnum(b *strings.Builder, indent, name, about string, values []any) {
	fmt.Fprintf(b, "\n%s%spublic struct %s: OpenEnum {\n", swiftAbout(indent, about), indent, name)
	for _, v := range values {
		fmt.Fprintf(b, "%s  public static let %s = Self(rawValue: %q)\n", indent, swiftCase(fmt.Sprint(v)), v)
	}
	fmt.Fprintf(b, "%s  public let rawValue: String\n%s  public init(rawValue: String) { self.rawValue = rawValue }\n%s}\n", indent, indent, indent)
}

func swiftAbout(indent, about string) string {
	if about == "" {
		return ""
	}
	return indent + "/// " + strings.Join(strings.Fields(about), " ") + "\n"
}

// swiftMember is the type of a member, and the values of an enumeration that is the member's
// alone: that is a type in the object, such as KeyRequest.ProtocolValue.
func swiftMember(m string, s *huma.Schema, taken func(string) bool) (name, own string, values []any) {
	of, list := s, s.Type == huma.TypeArray
	if list {
		of = s.Items
	}
	if of.Ref != "" || of.Type != huma.TypeString || len(of.Enum) < 2 {
		return swift.of(s), "", nil
	}
	own = strings.ToUpper(m[:1]) + m[1:]
	if list {
		own = strings.TrimSuffix(own, "s")
	}
	if taken(own) {
		own += "Value"
	}
	if name = own; list {
		name = swift.list(own)
	}
	return name, own, of.Enum
}

// swiftTypes are Codable structs in an extension of Piwork, where their names (Task, Host,
// Result) are in nobody's way. Only what is sent can be made by others; tagged are names of records
// that are answered by themselves, and know their ETag.
func swiftTypes(version string, all, sent []schema, tagged []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\nimport Foundation\n\nextension Piwork {\n  /// The version of the API that this is made from.\n  public static let apiVersion = %q\n", madeBy, version)
	taken := func(name string) bool {
		return slices.Contains(swiftOwn, name) || slices.ContainsFunc(all, func(s schema) bool { return s.name == name })
	}
	for _, s := range all {
		switch {
		case len(s.OneOf) > 0:
			swiftUnion(&b, s, all)
		case s.Type == huma.TypeString && len(s.Enum) > 0:
			swiftEnum(&b, "  ", swiftType(s.name), s.Description, s.Enum)
		case len(s.Properties) == 0:
			fmt.Fprintf(&b, "\n%s  public typealias %s = %s\n", swiftAbout("  ", s.Description), swiftType(s.name), swift.of(s.Schema))
		default:
			swiftStruct(&b, s, slices.ContainsFunc(sent, func(o schema) bool { return o.name == s.name }), slices.Contains(tagged, s.name), taken)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func swiftStruct(b *strings.Builder, s schema, sent, tagged bool, taken func(string) bool) {
	var args, sets, optional []string
	var enums strings.Builder
	kind := "Codable, Hashable, Sendable"
	if tagged {
		kind = "TaggedRecord"
	}
	fmt.Fprintf(b, "\n%s  public struct %s: %s {\n", swiftAbout("  ", s.Description), swiftType(s.name), kind)
	for _, m := range s.members() {
		t, own, values := swiftMember(m, s.Properties[m], taken)
		if own != "" {
			swiftEnum(&enums, "    ", own, "", values)
		}
		name := swiftName(m)
		if slices.Contains(s.Required, m) {
			args = append(args, name+": "+t)
		} else {
			t += "?"
			optional = append(optional, name+": "+t+" = nil")
		}
		sets = append(sets, "self."+name+" = "+name)
		fmt.Fprintf(b, "%s    public var %s: %s\n", swiftAbout("    ", s.Properties[m].Description), name, t)
	}
	if tagged {
		names := make([]string, len(s.members()))
		for i, m := range s.members() {
			names[i] = swiftName(m)
		}
		fmt.Fprintf(b, "    public var etag = ETag()\n\n    enum CodingKeys: CodingKey { case %s }\n", strings.Join(names, ", "))
	}
	if sent {
		fmt.Fprintf(b, "\n    public init(%s) {\n      %s\n    }\n", strings.Join(append(args, optional...), ", "), strings.Join(sets, "\n      "))
	}
	b.WriteString(enums.String() + "  }\n")
}

// swiftUnion writes an enum with a case for each kind, and one for kinds that are added later.
// What all of them have is had by the enum.
func swiftUnion(b *strings.Builder, s schema, all []schema) {
	by := s.Discriminator.PropertyName
	of := map[string]schema{}
	for _, one := range all {
		of[one.name] = one
	}
	var names, cases, reads []string
	for _, one := range s.OneOf {
		name := named(one)
		kind := fmt.Sprint(of[name].Properties[by].Enum[0])
		names, cases = append(names, name), append(cases, fmt.Sprintf("case %s(%s)", swiftCase(kind), name))
		reads = append(reads, fmt.Sprintf("case %q: self = .%s(try %s(from: decoder))", kind, swiftCase(kind), name))
	}
	// The members: the type of one that differs is left open.
	var vars, others []string
	first := of[names[0]]
	for _, m := range first.members() {
		t := swift.of(first.Properties[m])
		differs := slices.ContainsFunc(names, func(n string) bool { return swift.of(of[n].Properties[m]) != t })
		if !slices.Contains(first.Required, m) {
			t += "?"
		}
		open := t
		if differs {
			t, open = "any Codable & Sendable", "JSON"
		}
		vars = append(vars, fmt.Sprintf("%s    public var %s: %s { record.%s }", swiftAbout("    ", first.Properties[m].Description), m, t, m))
		others = append(others, fmt.Sprintf("    public var %s: %s", m, open))
	}
	requires := make([]string, len(vars))
	for i, v := range vars {
		_, v, _ = strings.Cut(v, "public ")
		v, _, _ = strings.Cut(v, " { record")
		requires[i] = "  " + v + " { get }"
	}
	data := func(line string) string {
		return strings.Replace(line, "any Codable & Sendable", "DataOf"+s.name, 1)
	}
	fmt.Fprintf(b, "\n%s  public enum %s: Codable, Hashable, Sendable {\n    %s\n    case other(Other%s)\n", swiftAbout("  ", s.Description), s.name, strings.Join(cases, "\n    "), s.name)
	fmt.Fprintf(b, "\n    public init(from decoder: any Decoder) throws {\n      let open = try Other%s(from: decoder)\n      switch open.%s {\n      %s\n      default: self = .other(open)\n      }\n    }\n", s.name, by, strings.Join(reads, "\n      "))
	b.WriteString("\n    public func encode(to encoder: any Encoder) throws { try record.encode(to: encoder) }\n")
	fmt.Fprintf(b, "\n    /// What all of them have.\n    var record: any %sRecord {\n      switch self {\n", s.name)
	for _, c := range append(cases, "case other(") {
		name, _, _ := strings.Cut(strings.TrimPrefix(c, "case "), "(")
		fmt.Fprintf(b, "      case .%s(let one): return one\n", name)
	}
	fmt.Fprintf(b, "      }\n    }\n\n%s\n  }\n", strings.Join(vars, "\n"))
	fmt.Fprintf(b, "\n  /// One of a kind that is not known here.\n  public struct Other%s: Codable, Hashable, Sendable {\n%s\n  }\n}\n", s.name, strings.Join(others, "\n"))
	fmt.Fprintf(b, "\nprotocol %sRecord: Codable, Hashable, Sendable {\n  associatedtype DataOf%s: Codable, Sendable\n", s.name, s.name)
	for _, r := range requires {
		b.WriteString(data(r) + "\n")
	}
	b.WriteString("}\n\n")
	for _, n := range append(names, "Other"+s.name) {
		fmt.Fprintf(b, "extension Piwork.%s: %sRecord {}\n", n, s.name)
	}
	b.WriteString("\nextension Piwork {\n")
}

// swiftOperations are methods that wait, and sequences.
func swiftOperations(all []operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\nimport Foundation\n\nextension Piwork {", madeBy)
	for _, o := range all {
		var args []string
		given := []string{fmt.Sprintf("%q, %q", o.method, o.path)}
		pair := func(names []string) string {
			for i, n := range names {
				names[i] = fmt.Sprintf("%q: %s", n, swiftName(n))
			}
			return "[" + strings.Join(names, ", ") + "]"
		}
		for _, p := range o.inPath {
			args = append(args, "_ "+swiftName(p)+": String")
		}
		if len(o.inPath) > 0 {
			given = append(given, "path: "+pair(slices.Clone(o.inPath)))
		}
		if o.body != "" {
			arg := "_ body: " + swiftType(o.body)
			if !o.must {
				arg += "? = nil"
			}
			args = append(args, arg)
		}
		var query []string
		for _, q := range o.query {
			arg := swiftName(q.name) + ": " + swift.of(q.schema)
			if !q.must {
				arg += "? = nil"
			}
			args, query = append(args, arg), append(query, q.name)
		}
		if len(query) > 0 {
			given = append(given, "query: "+pair(query))
		}
		if o.body != "" {
			given = append(given, "body: body")
		}
		asked := strings.Join(given, ", ")
		write := func(name, summary, answer, do string) {
			fmt.Fprintf(&b, "\n  /// %s\n  public func %s(%s) %s {\n    %s\n  }\n", summary, swiftName(name), strings.Join(args, ", "), answer, do)
		}
		if o.pages {
			write(o.all(), o.summary+", page by page", "-> Pages<"+swift.of(o.schema.Items)+">", "Pages(self, requestPath("+swiftPath(given)+"))")
		}
		switch o.answer {
		case isJSON:
			write(o.id, o.summary, "async throws -> "+swift.of(o.schema), "try await answer("+asked+").value()")
		case isBytes:
			write(o.id, o.summary, "async throws -> Data", "try await answer("+asked+").bytes()")
		case isStream:
			endless := ""
			if o.endless {
				endless = ", endless: true"
			}
			write(o.id, o.summary, "-> EventStream<"+swift.of(o.schema)+">", "EventStream(self, requestPath("+swiftPath(given)+")"+endless+")")
		default:
			write(o.id, o.summary, "async throws", "_ = try await answer("+asked+")")
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// swiftTagged are the names of records that operations answer by themselves.
func swiftTagged(ops []operation) (names []string) {
	for _, o := range ops {
		if o.method == http.MethodGet && o.answer == isJSON && o.schema.Ref != "" {
			names = append(names, named(o.schema))
		}
	}
	return names
}

// swiftPath is what of the arguments of a GET makes its path.
func swiftPath(given []string) string {
	_, path, _ := strings.Cut(given[0], ", ")
	return strings.Join(append([]string{path}, given[1:]...), ", ")
}
