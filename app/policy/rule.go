package policy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	cedar "github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/cedar-policy/cedar-go/x/exp/ast"
	"github.com/cedar-policy/cedar-go/x/exp/schema"
	"github.com/cedar-policy/cedar-go/x/exp/schema/validate"

	"piwork/app/task"
	"piwork/pack/lazyregexp"
)

// Bounds of a file of rules.
const (
	MaxFile  = 256 << 10 // bytes
	maxRules = 1000
	maxRule  = 16 << 10 // bytes
	maxDepth = 32       // brackets in brackets
	maxNots  = 8        // signs before one another
)

// WrittenRule is one rule of a file.
type WrittenRule struct {
	ID     string `json:"id"`
	Layer  Layer  `json:"layer" enum:"managed,yours,default"`
	Effect Effect `json:"effect" enum:"allow,ask,deny"`
	Hard   bool   `json:"hard,omitempty" doc:"other layers can only be stricter"`
	Line   int    `json:"line"`
	Cedar  string `json:"cedar" doc:"the rule as it is written"`
	Note   string `json:"note,omitempty" doc:"what the file says about it"`
	Doubt  string `json:"doubt,omitempty" doc:"why it may not do what it seems to, in English; nothing with one can be written anew"`
	Said   string `json:"said,omitempty" words:"shown" doc:"the rule in words"`

	Sentence Sentence `json:"-"` // of which the words are made
}

// RuleFault is what is wrong with a file of rules.
type RuleFault struct {
	Layer   Layer  `json:"layer" enum:"managed,yours,default"`
	Path    string `json:"path,omitempty"`
	Code    string `json:"code" doc:"what it is: syntax, schema, rule, size, owner, unreadable"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message" doc:"evidence, in English"`
	Said    string `json:"said,omitempty" words:"shown" doc:"what is wrong, and what to do"`
}

// Error implements error.
func (f *RuleFault) Error() string {
	return fmt.Sprintf("%s: line %d: %s", f.Path, f.Line, f.Message)
}

// Codes of faults.
const (
	FaultSyntax     = "syntax"
	FaultSchema     = "schema"
	FaultRule       = "rule" // something that piwork wants of a rule
	FaultSize       = "size"
	FaultOwner      = "owner"
	FaultUnreadable = "unreadable"
)

// compiled is a rule to evaluate.
type compiled struct {
	WrittenRule
	policy *cedar.Policy  // its paths and hosts as requests have them
	number cedar.PolicyID // its place in its layer
	within scope
	text   string // as of Decision
	at     int    // where it begins in its file
	column int
	looks  bool // its conditions are about what the resource is, beside where it is
}

//go:embed schema.cedarschema
var schemaText []byte

//go:embed defaults.cedar
var defaultsText []byte

// checker holds rules against the schema.
var checker = sync.OnceValues(func() (*validate.Validator, error) {
	var s schema.Schema
	s.SetFilename("schema.cedarschema")
	if err := s.UnmarshalCedar(schemaText); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve()
	if err != nil {
		return nil, err
	}
	return validate.New(resolved), nil
})

var (
	idForm = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	where  = lazyregexp.New(`(?:parse error at )?<input>:(\d+):(\d+):? `)
)

// parse reads the text of a layer. Its error is a *RuleFault, which names no file. A rule that is
// only doubted (WrittenRule.Doubt) is evaluated as it is written: one that an older version took
// never has all of a file refused.
func parse(layer Layer, text []byte) ([]compiled, []place, error) {
	fault := func(code string, line, column int, format string, v ...any) ([]compiled, []place, error) {
		return nil, nil, &RuleFault{Layer: layer, Code: code, Line: line, Column: column, Message: fmt.Sprintf(format, v...)}
	}
	if len(text) > MaxFile {
		return fault(FaultSize, 0, 0, "more than %d KiB", MaxFile>>10)
	}
	if line, why := outOfBounds(text); why != "" {
		return fault(FaultSize, line, 0, "%s", why)
	}
	list, err := cedar.NewPolicyListFromBytes("", text)
	if err != nil {
		line, column := 1, 1
		message := strings.TrimPrefix(err.Error(), "parser error: ")
		if m := where().FindStringSubmatch(message); m != nil {
			line, _ = strconv.Atoi(m[1])
			column, _ = strconv.Atoi(m[2])
			message = message[strings.Index(message, m[0])+len(m[0]):]
		}
		return fault(FaultSyntax, line, column, "%s", oneLine(message))
	}
	if len(list) > maxRules {
		return fault(FaultSize, list[maxRules].Position().Line, 0, "more than %d rules", maxRules)
	}
	known, err := checker()
	if err != nil {
		return fault(FaultSchema, 0, 0, "%s", oneLine(err.Error()))
	}
	var places []place
	ids := map[string]bool{}
	out := make([]compiled, 0, len(list))
	for i, p := range list {
		pos := p.Position()
		end := len(text)
		if i+1 < len(list) {
			end = list[i+1].Position().Offset
		}
		r := WrittenRule{Layer: layer, Line: pos.Line, Cedar: statement(text[pos.Offset:end])}
		if why := r.annotated(p, layer); why != "" {
			return fault(FaultRule, pos.Line, pos.Column, "%s", why)
		}
		for n := 2; ids[r.ID] && strings.HasPrefix(r.ID, lineID(r.Line)); n++ { // several in one line
			r.ID = lineID(r.Line) + "." + strconv.Itoa(n)
		}
		if ids[r.ID] {
			return fault(FaultRule, pos.Line, pos.Column, "a second rule with @id(%q)", r.ID)
		}
		ids[r.ID] = true
		if err := known.Policy(r.ID, (*ast.Policy)(p.AST())); err != nil {
			return fault(FaultSchema, pos.Line, pos.Column, "%s", oneLine(strings.ReplaceAll(err.Error(), "for policy `"+r.ID+"`, ", "")))
		}
		if why := r.doors(p); why != "" {
			return fault(FaultRule, pos.Line, pos.Column, "%s", why)
		}
		own, named, doubt, why := alike(p)
		if why != "" {
			return fault(FaultRule, pos.Line, pos.Column, "%s", why)
		}
		r.Doubt = doubt
		for _, n := range named {
			if !slices.ContainsFunc(places, func(o place) bool { return o.id == n.id }) {
				places = append(places, n)
			}
		}
		if r.Sentence, err = sentenceOf(p); err != nil {
			return fault(FaultRule, pos.Line, pos.Column, "%s", oneLine(err.Error()))
		}
		if r.stricter(Read) && byFile(p) {
			r.Doubt = cmp.Or(r.Doubt, "reading is decided for folders: a rule that keeps from it names paths, as in resource in Path::\"/home/you/Letters\", and goes by no name, extension or text of a path")
		}
		sum := sha256.Sum256([]byte(r.Cedar))
		out = append(out, compiled{WrittenRule: r, policy: own, number: cedar.PolicyID(strconv.Itoa(i)), within: scopeIn(own), text: hex.EncodeToString(sum[:4]), at: pos.Offset, column: pos.Column, looks: looksAt(p)})
	}
	return out, places, nil
}

// plain is the text of a file, without the mark that some editors put before it.
func plain(text string) []byte { return bytes.TrimPrefix([]byte(text), []byte("\xef\xbb\xbf")) }

// annotated reads what stands before a rule, and says what is wrong with it. What is
// misspelled is a fault: an @effect that is not seen would allow.
func (r *WrittenRule) annotated(p *cedar.Policy, layer Layer) (why string) {
	permit := p.Effect() == cedar.Permit
	if r.Effect = Deny; permit {
		r.Effect = Allow
	}
	r.ID = lineID(r.Line)
	for key, value := range p.Annotations() {
		switch v := string(value); key {
		case "id":
			if r.ID = v; !idForm().MatchString(v) {
				return fmt.Sprintf("@id(%q): an id has small letters, digits, dots, hyphens and underscores, at most 64", v)
			}
		case "effect":
			switch {
			case v == string(Ask):
				r.Effect = Ask
			case permit && v == string(Allow), !permit && v == string(Deny):
			default:
				return fmt.Sprintf("@effect(%q): it is \"ask\", or what the rule says anyway", v)
			}
		case "note":
			if r.Note = v; len(v) > 1000 {
				return "@note: more than 1000 bytes"
			}
		case "hard":
			if r.Hard = v == "true"; layer != Default {
				return "@hard is for the rules of piwork itself"
			}
		default:
			return fmt.Sprintf("@%s is not known; there are @id, @effect and @note", key)
		}
	}
	return ""
}

// doors says what is wrong with the doors that a rule names. A door is a claim, which must give
// nobody a right: a rule that forbids or asks has it as who acts, where a program that makes
// another claim or none meets fewer rules and never one that allows more than all others do.
// Conditions have none: in "unless" a door would open.
func (r *WrittenRule) doors(p *cedar.Policy) (why string) {
	data, err := p.MarshalJSON()
	var tree struct{ Principal, Conditions any }
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	if err != nil {
		return oneLine(err.Error())
	}
	each := func(in any, f func(id string)) {
		walkEntities(in, func(e map[string]any) {
			if e["type"] == string(typeDoor) {
				f(e["id"].(string))
			}
		})
	}
	each(tree.Conditions, func(id string) {
		why = fmt.Sprintf("Door::%q: a rule names a door between its first brackets alone: programs say themselves by which one they come", id)
	})
	each(tree.Principal, func(id string) {
		switch {
		case !slices.Contains(task.Doors(), id):
			why = fmt.Sprintf("Door::%q: there are %s", id, strings.Join(task.Doors(), ", "))
		case r.Effect == Allow:
			why = fmt.Sprintf("Door::%q: a rule can forbid or ask by a door, and not allow: programs say themselves by which one they come", id)
		}
	})
	return why
}

// lineID is the id of a rule without one.
func lineID(line int) string { return "line-" + strconv.Itoa(line) }

// statement is the text of one rule of a file, without what stands behind it.
func statement(text []byte) string {
	end := len(text)
	scan(text, func(i int, c byte) bool {
		if c == ';' {
			end = i + 1
			return false
		}
		return true
	})
	return strings.TrimSpace(string(text[:end]))
}

// scan calls f with each byte of a text that stands in no string and no comment, until f
// returns false.
func scan(text []byte, f func(i int, c byte) bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return
			}
			i += end + 3
		default:
			if !f(i, c) {
				return
			}
		}
	}
}

// outOfBounds says why a text is not given to the parser, which calls itself for what
// stands in brackets and behind signs, and in which line.
func outOfBounds(text []byte) (line int, why string) {
	depth, nots, begin := 0, 0, 0
	stop := func(i int, reason string) bool {
		line, why = 1+bytes.Count(text[:i], []byte("\n")), reason
		return false
	}
	scan(text, func(i int, c byte) bool {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ';':
			depth, begin = 0, i
		}
		switch c {
		case '!', '-':
			nots++
		case ' ', '\t', '\r', '\n':
		default:
			nots = 0
		}
		switch {
		case depth > maxDepth:
			return stop(i, fmt.Sprintf("more than %d brackets in one another", maxDepth))
		case nots > maxNots:
			return stop(i, fmt.Sprintf("more than %d signs in a row", maxNots))
		case i-begin > maxRule:
			return stop(i, fmt.Sprintf("a rule of more than %d KiB", maxRule>>10))
		}
		return true
	})
	return line, why
}

// alike is a rule with its paths, hosts and texts as requests have them, and the paths that it
// names.
func alike(p *cedar.Policy) (own *cedar.Policy, places []place, doubt, why string) {
	data, err := p.MarshalJSON()
	if err != nil {
		return nil, nil, "", oneLine(err.Error())
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a number keeps all of its digits
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, nil, "", oneLine(err.Error())
	}
	changed, doubt := texts(tree)
	walkEntities(tree, func(e map[string]any) {
		kind, id := types.EntityType(e["type"].(string)), e["id"].(string)
		switch kind {
		case typePath:
			l, bad := placeOf(id)
			if bad != "" {
				why = bad
				return
			}
			places = append(places, l)
			e["id"], changed = l.id, true
		case typeHost:
			now := hostID(id)
			if now == "" {
				why = fmt.Sprintf("Host::%q is no name and no address of a host", id)
			}
			e["id"], changed = now, true
		case typePerson:
			if id != you {
				why = fmt.Sprintf("Person::%q: there is only Person::%q", id, you)
			}
		case typeRuntime:
			doubt = cmp.Or(noRuntime(id), doubt)
		}
	})
	if why != "" || !changed {
		return p, places, doubt, why
	}
	if data, err = json.Marshal(tree); err != nil {
		return nil, nil, "", oneLine(err.Error())
	}
	own = new(cedar.Policy)
	if err := own.UnmarshalJSON(data); err != nil {
		return nil, nil, "", oneLine(err.Error())
	}
	return own, places, doubt, ""
}

// placeOf is a path of a rule: "~/" is the home directory.
func placeOf(id string) (place, string) {
	p := id
	if rest, ok := strings.CutPrefix(filepath.ToSlash(p), "~/"); ok || p == "~" {
		home, err := os.UserHomeDir()
		if err != nil {
			return place{}, fmt.Sprintf("Path::%q: %v", id, err)
		}
		if p = home; ok {
			p = filepath.Join(home, rest)
		}
	}
	if PathID(p) == "" {
		return place{}, fmt.Sprintf("Path::%q is not absolute", id)
	}
	real := realPath(p)
	info, err := os.Lstat(real)
	if err != nil {
		info = nil // it is known by its name alone
	}
	return place{id: PathID(real), written: p, info: info}, ""
}

// walkEntities calls f with each entity that a rule names.
func walkEntities(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		_, kind := v["type"].(string)
		if _, id := v["id"].(string); kind && id && len(v) == 2 {
			f(v)
			return
		}
		for _, in := range v {
			walkEntities(in, f)
		}
	case []any:
		for _, in := range v {
			walkEntities(in, f)
		}
	}
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	const most = 500
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// faultOf is the *RuleFault that an error is, of a layer.
func faultOf(err error, layer Layer, path string) *RuleFault {
	if err == nil {
		return nil
	}
	var f *RuleFault
	if !errors.As(err, &f) {
		f = &RuleFault{Code: FaultUnreadable, Message: oneLine(err.Error())}
	}
	own := *f
	own.Layer, own.Path = layer, path
	return &own
}
