package words

import (
	"strings"
	"testing"

	"piwork/app/policy"
)

// A proposal is said from the exception as it would be written: all that it allows, and in each
// language.
func TestProposalsAreSaidWhole(t *testing.T) {
	const rule = `forbid (principal, action, resource) unless { principal in Agent::"pi" && principal in Person::"you" && `
	for name, c := range map[string]struct{ cedar, en, de string }{
		"a file": {`action == Action::"write" && resource is Path && resource.path == "/l/a \"b\".txt" && context.runtime == "vm"`,
			"Ask first: change files at /l/a \"b\".txt, for the AI program pi, for your own tasks, if the place is a workroom.", "Vorher fragen: Dateien ändern bei /l/a \"b\".txt, "},
		"a folder": {`action == Action::"delete" && resource is Path && (resource.path == "/l/*" || resource.path like "/l/\*/*") && context.runtime == "vm"`,
			"Ask first: delete files in /l/*, for the AI program pi, for your own tasks, if the place is a workroom.", "Dateien löschen in /l/*, "},
		"a command": {`action == Action::"run" && resource is Program && resource == Program::"bash" && resource.kind == "command" && ["delete", "network"].containsAll(context.effects)`,
			"Ask first: run bash, for the AI program pi, for your own tasks, if the kind is command, if what the command does is nothing but delete, network.", "nichts ist als delete, network"},
		"one that reads": {`action == Action::"run" && resource is Program && resource == Program::"bash" && context.effects.isEmpty()`, "if what the command does is nothing.", "nichts ist."},
		"a host":         {`action == Action::"connect" && resource is Host && resource == Host::"a.example" && resource.port == 8443`, "connect to a.example, for the AI program pi, for your own tasks, if the port is 8443.", "a.example"},
	} {
		p := policy.Proposal{Cedar: rule + c.cedar + " };", Then: policy.Ask}
		for lang, want := range map[string]string{"en": c.en, "de": c.de} {
			if PolicyProposal(For(lang), &p); !strings.Contains(p.Said, want) {
				t.Errorf("%s: %q, want %q", name, p.Said, want)
			}
		}
	}
	// What has no words is said as nothing: such a proposal is not made.
	for name, cedar := range map[string]string{
		"a prefix":       `action == Action::"write" && resource is Path && (resource.path == "/l" || resource.path like "/*")`,
		"another choice": `action == Action::"write" && resource is Path && (resource.path == "/l" || true)`,
		"a negation":     `action == Action::"write" && resource is Path && !(resource.path == "/l")`,
		"two places":     `action == Action::"write" && resource in Path::"/a" && resource in Path::"/b"`,
		"anything":       `true`,
		"no action":      `resource is Key`,
	} {
		p := policy.Proposal{Cedar: rule + cedar + " };", Then: policy.Allow}
		if PolicyProposal(For("en"), &p); p.Said != "" && name != "a negation" || strings.Contains(p.Said, "at /l") {
			t.Errorf("%s: %q", name, p.Said)
		}
	}
	r, f := policy.Check(rule + `action == Action::"useKey" && resource is Key && resource == Key::"k" };`)
	if f != nil {
		t.Fatal(f)
	}
	if PolicyRule(For("en"), &r[0]); r[0].Said != "Refuse: everything; except: use a key for k, for the AI program pi, for your own tasks." {
		t.Errorf("%q", r[0].Said)
	}
}
