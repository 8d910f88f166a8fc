package policy

import (
	"strings"
	"testing"

	"piwork/app/task"
)

// A door is what a program says of itself: no rule lets anybody do more for it.
func TestDoorsGiveNoRight(t *testing.T) {
	for text, wants := range map[string]string{
		`permit (principal in Door::"cli", action, resource);`:                                         "not allow",
		`@effect("allow") permit (principal is Task in Door::"mcp", action, resource);`:                "not allow",
		`permit (principal, action, resource) when { principal in Door::"cli" };`:                      "first brackets",
		`permit (principal, action, resource) unless { principal in Door::"mcp" };`:                    "first brackets",
		`forbid (principal, action, resource) unless { principal in Door::"cli" };`:                    "first brackets",
		`forbid (principal, action, resource) unless { principal is Task in Door::"cli" };`:            "first brackets",
		`@effect("ask") permit (principal, action, resource) when { !(principal in Door::"window") };`: "first brackets",
		`forbid (principal in Door::"nightly", action, resource);`:                                     "there are window, cli",
		`forbid (principal in Door::"mcp", action, resource);`:                                         "",
		`@effect("ask") permit (principal in Door::"stdio", action == Action::"run", resource);`:       "",
		`forbid (principal in Door::"mcp", action, resource) unless { context.network == "off" };`:     "",
		`forbid (principal in Client::"mcp", action, resource);`:                                       "",
	} {
		_, fault := Check(text)
		if wants == "" && fault != nil || wants != "" && (fault == nil || !strings.Contains(fault.Message, wants)) {
			t.Errorf("%s: %+v", text, fault)
		}
	}
	e := engine(t, "", `@id("a") forbid (principal in Door::"mcp", action == Action::"delete", resource);
@id("b") @effect("ask") permit (principal in Door::"acp", action == Action::"run", resource);`)
	for _, r := range []Request{{Action: Delete, What: What{Path: "/a"}}, {Action: Run, What: What{Program: "x"}}, {Action: Connect, What: What{Host: "example.org"}}} {
		without := e.Decide(r)
		for _, r.Door = range task.Doors() {
			if with := e.Decide(r); without.Effect.Stricter(with.Effect) {
				t.Errorf("%s by %s: %s, without a door %s", r.Action, r.Door, with.Effect, without.Effect)
			}
		}
	}
}
