//go:build vm && !long

package app

// realKillPoints are the moments that a task in a real machine is killed at for every
// change: in the middle of a tool. ./scripts/test all has one of each kind of event.
var realKillPoints = []string{"after tool write started"}

// The protocols in which tasks in a real machine speak for every change, one each. The
// long tests have both.
var realProtocols, roughProtocols = []string{"anthropic"}, []string{"openai"}
