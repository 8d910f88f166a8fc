// Package policy decides by rules that a person or an administrator wrote, and by those
// that piwork has from the start: who may do what, on what, under which condition.
//
// Rules are Cedar (https://docs.cedarpolicy.com, read and evaluated by
// cedar-policy/cedar-go). The schema (schema.cedarschema) says which words there are.
//
//	@id("letters-only-in-a-machine")
//	forbid (principal, action == Action::"write", resource in Path::"/home/you/Letters")
//	unless { ["vm", "container"].contains(context.runtime) };
//
// # Layers
//
// There are three files of rules, and one answer:
//
//		managed  an administrator's, read-only; only root or the administrators can write it
//		yours    policy.cedar in the directory of settings
//		default  defaults.cedar in this package: what piwork does anyway
//
//	  - A forbid in any layer refuses.
//	  - A rule with @effect("ask") in the first two has a person asked.
//	  - A permit in the first two allows what the defaults would ask about, but nothing that
//	    a default with @hard asks about.
//	  - Else the defaults decide. What no rule is about is refused.
//
// So a permit never widens what an administrator forbids or has asked about. Limits that
// stand below all rules (addresses that are no host's, folders of the system, the server of
// folders) are not asked here: an allow is a step on the way to them, not around them.
//
// # Faults
//
// A file that cannot be read, is too large, does not parse, does not fit the schema, or that
// others could have written refuses everything until it is mended ([RuleFault] says where, and
// what to do). A rule that fails as it is evaluated (a number that overflows) counts as one
// that holds, unless it allows.
//
// # Comparing
//
// Strings are never compared by how they begin. A path is a chain of entities, from the file
// to the root; a host one from the name to its top level. Paths of rules and of requests are
// made alike before that: absolute, without "..", links followed, spelled as the system
// compares names. A directory is also known by what it is (device and number), so that
// another spelling of it does not lead around a rule. Names of hosts are in lower case,
// without the dot at their end, international names in their ASCII form.
//
// # Proposals
//
// What a rule of the person refuses to an AI can be proposed as an exception of this rule
// ([Engine.Propose]):
//
//	forbid (…) unless { principal in Agent::"pi" && principal in Person::"you" && action == Action::"write" &&
//	  resource is Path && resource.path == "/home/you/Letters/a.txt" && context.runtime == "vm" };
//
// It is made of the request that was refused, not by the AI, and said from what would be
// written ([Proposal.Exception]). Its path is compared as a text: where links of the AI lead
// later does not move it. It never opens what the defaults or an administrator say, and it is
// written only where the rule is still the one that was looked at.
//
// How long it holds, the person says who accepts it ([Hold]), never the proposal: in one task
// (principal == Task::"…"), or between two times (context.now >= datetime("…") && context.now <
// datetime("…")), both of which the engine evaluates. Nothing has to happen for it to end. A
// clock that is set back before the first time makes it hold less, not more; set back in
// between it holds at most until the second, and not at all once it was seen that it had ended:
// it is removed then ([Engine.Expire]).
//
// The text alone says which exceptions there are ([Engine.Exceptions]): one is piwork's where
// what it is read as gives the same text again, byte for byte. Such a one is taken back
// ([Engine.TakeBack]) by removing these bytes, where all else stays. Any other was changed by
// hand, and stays.
//
// # Leaving out
//
// A decision has to be quick with hundreds of rules: those whose scope names another action,
// or somebody or something that the request is not in, are not evaluated ([scope]).
//
// # Reading again
//
// Each decision looks whether the files are the same ([Engine.Decide]); what changed is read
// whole, twice where it changes meanwhile, and takes the place of what was in one step. One
// decision has one version of all layers. A file that changed within the last seconds is
// read again: the time of a file is only so exact.
//
// Open Policy Agent was considered: 150 modules, and a language in which a person does not
// see from a rule what it allows.
package policy
