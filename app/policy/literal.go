package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"

	cedar "github.com/cedar-policy/cedar-go"
	"golang.org/x/text/unicode/norm"

	"piwork/app/task"
	"piwork/vmhost"
)

// runtimeKinds are the kinds of places that rules can name, each also before a colon and a name.
var runtimeKinds = []string{vmhost.KindVM, vmhost.KindSandbox, vmhost.KindContainer, vmhost.KindHost, vmhost.KindRemote, vmhost.KindKubernetes}

// words are what an attribute of requests can be, where that is a list (schema.cedarschema).
var words = map[string][]string{
	"principal.kind":    {string(task.KindChore), string(task.KindAI), string(task.KindExec), string(task.KindTool)},
	"resource.kind":     {Program, Session, Command, Server, string(task.KindChore), string(task.KindTool), string(task.KindAI)},
	"context.runtime":   runtimeKinds,
	"context.isolation": {string(vmhost.IsolationHardware), string(vmhost.IsolationEmulated), string(vmhost.IsolationNamespace), string(vmhost.IsolationNone)},
	"context.domain":    {string(vmhost.DomainVM), string(vmhost.DomainContainer), string(vmhost.DomainHost), string(vmhost.DomainRemote)},
	"context.network":   {string(task.NetworkOff), string(task.NetworkRestricted), string(task.NetworkOn)},
	"context.risk":      {"none", "low", "high"},
	"context.about":     {"", AboutMany, "bytes", "startup", "git", "hidden", "programs", AboutWeb, AboutUndo, AboutRedo, AboutApply},
	"context.effects":   {"read", "write", "change", "move", "overwrite", "delete", "network", "install", "system", "unknown"},
	"context.weekday":   weekdays[:],
}

// comparison is what stands on both sides of an operator that compares.
type comparison struct {
	attributes []string         // such as "resource.name"
	texts      []map[string]any // nodes with a Value, or a Literal of a pattern
}

// comparisons are the operators that compare texts.
var comparisons = []string{"==", "!=", "like", "contains", "containsAll", "containsAny"}

// texts has a rule spell texts as the attributes that it compares them with, and says which text
// none of them ever is: such a rule may never hold, and one that forbids allows then.
func texts(v any) (changed bool, why string) {
	switch v := v.(type) {
	case map[string]any:
		for _, op := range comparisons {
			if sides, ok := v[op].(map[string]any); ok {
				var c comparison
				c.collect(sides)
				is, bad := c.apply(runtime.GOOS)
				changed, why = changed || is, cmp.Or(why, bad)
			}
		}
		for _, in := range v {
			is, bad := texts(in)
			changed, why = changed || is, cmp.Or(why, bad)
		}
	case []any:
		for _, in := range v {
			is, bad := texts(in)
			changed, why = changed || is, cmp.Or(why, bad)
		}
	}
	return changed, why
}

// collect finds what is compared in a node; what is true or false in it compares by itself.
func (c *comparison) collect(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, op := range append([]string{"&&", "||", "!", "in", "is", "has"}, comparisons...) {
			if v[op] != nil {
				return
			}
		}
		if at, ok := v["."].(map[string]any); ok {
			if of, ok := at["left"].(map[string]any); ok && of["Var"] != nil {
				c.attributes = append(c.attributes, fmt.Sprint(of["Var"], ".", at["attr"]))
			}
		}
		for key, in := range v {
			if _, text := in.(string); text && (key == "Value" || key == "Literal") {
				c.texts = append(c.texts, v)
			} else if key != "if" {
				c.collect(in)
			}
		}
	case []any:
		for _, in := range v {
			c.collect(in)
		}
	}
}

// apply spells the texts as the one attribute has them, or says which it never is.
func (c *comparison) apply(system string) (changed bool, why string) {
	if len(c.attributes) != 1 { // with several a text can be one of any
		return false, ""
	}
	a := c.attributes[0]
	for _, at := range c.texts {
		text, whole := at["Value"].(string)
		if all := words[a]; all != nil && whole && !slices.Contains(all, text) {
			return false, fmt.Sprintf("%s is never %q: there are %s", a, text, strings.Join(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" }), ", "))
		}
		if whole {
			at["Value"] = spelling(a, text, true, system)
			changed = changed || at["Value"] != text
		} else if text, ok := at["Literal"].(string); ok {
			at["Literal"] = spelling(a, text, false, system)
			changed = changed || at["Literal"] != text
		}
	}
	return changed, ""
}

// spelling is a text as an attribute has it, whole or a part of a pattern.
func spelling(attribute, text string, whole bool, system string) string {
	switch attribute {
	case "resource.path":
		if id := spelled(text, system); whole && id != "" {
			return id
		}
	case "resource.extension":
		if whole && len(text) > 1 {
			text = strings.TrimPrefix(text, ".")
		}
		text = strings.ToLower(text)
	case "resource.name":
		text = strings.ToLower(text)
	default:
		return text
	}
	switch system {
	case "windows":
		text = folded(strings.ReplaceAll(text, `\`, "/"))
	case "darwin":
		text = folded(norm.NFC.String(text))
	}
	return text
}

// noRuntime says what is wrong with a kind of place that a rule names.
func noRuntime(id string) string {
	if kind := family(id); slices.Contains(runtimeKinds, kind) && (kind == id || kind == vmhost.KindRemote || kind == vmhost.KindKubernetes) {
		return ""
	}
	return fmt.Sprintf("Runtime::%q is no kind of place: there are %s", id, strings.Join(runtimeKinds, ", "))
}

// byFile reports whether a rule holds for single files, by what they are called, and not for the
// folders that they are in. Unless a path is one, as exceptions say, goes for all that is in it.
func byFile(p *cedar.Policy) bool {
	data, err := p.MarshalJSON()
	var rule struct {
		Conditions []struct {
			Kind string
			Body any
		}
	}
	if err != nil || json.Unmarshal(data, &rule) != nil {
		return true
	}
	for _, c := range rule.Conditions {
		if asksFor(c.Body, "name", "extension") || c.Kind == "when" && asksFor(c.Body, "path") {
			return true
		}
	}
	return false
}

// asksFor reports whether one of some attributes is asked for.
func asksFor(v any, attributes ...string) bool {
	switch v := v.(type) {
	case map[string]any:
		if of, ok := v["."].(map[string]any); ok && slices.Contains(attributes, fmt.Sprint(of["attr"])) {
			return true
		}
		for _, in := range v {
			if asksFor(in, attributes...) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(in any) bool { return asksFor(in, attributes...) })
	}
	return false
}
