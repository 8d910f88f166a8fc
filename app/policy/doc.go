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
//	managed  an administrator's, read-only; only root or the administrators can write it
//	yours    policy.cedar in the directory of settings
//	default  defaults.cedar in this package: what piwork does anyway
//
// The first of these that is so decides:
//
//   - A forbid in any layer refuses.
//   - A rule with @effect("ask") in the first two has a person asked.
//   - A permit in the first two allows what the defaults would ask about, but nothing that
//     a default with @hard asks about.
//   - Else the defaults decide. What no rule is about is refused.
//
// So a permit never widens what an administrator forbids or has asked about. Limits below
// all rules (addresses that are no host's, folders of the system, the server of folders)
// hold whatever the rules allow.
//
// # Promises
//
//   - A file that cannot be read, is too large, does not parse or does not fit the schema
//     refuses everything until it is corrected, and so does an administrator's that others
//     could have written ([RuleFault] says where, and what to do). A rule that fails as it is
//     evaluated (a number that overflows) counts as one that holds, unless it allows.
//   - A rule that may not do what it seems to (it compares with a word that never is) is not
//     written anew. One that is in a file already is evaluated as it is written, and said
//     (WrittenRule.Doubt): a newer version never has all of an older one's rules refused.
//   - One decision has one version of all layers. Each asks whether the files are the same
//     ([Engine.Decide]); what changed is read whole and replaces what was in one step.
//   - A path is a chain of entities, from the file to the root; a host one from the name to its
//     top level. Those of rules and of requests are made alike before they are compared
//     (spelled, hostOf). A directory is also known by device and number (kin), so that another
//     spelling of it does not lead around a rule.
//
// # Proposals
//
// What a rule of the person refuses to an AI can be proposed as an exception of this rule
// ([Engine.Propose]). It is made of the request that was refused, not by the AI. It never opens
// what the defaults or an administrator say. The person who accepts it says how long it holds
// ([Hold]), never the proposal. The text of the rules alone says which exceptions there are
// ([Engine.Exceptions]), and they are taken back in it ([Engine.TakeBack], [Engine.Expire]).
//
// Open Policy Agent was considered: 150 modules, and a language in which a person does not
// see from a rule what it allows.
package policy
