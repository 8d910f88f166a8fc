//go:build vm && !long

package app

// realKillPoints are the moments that a task in a real machine is killed at for
// every change: before its machine is there, in the middle of a tool, and while it
// waits for a person. The long tests have one of each kind of event.
var realKillPoints = []string{"after state preparing", "after tool write started", "after question"}

// The protocols in which tasks in a real machine speak for every change, one each. The
// long tests have both.
var realProtocols, roughProtocols = []string{"anthropic"}, []string{"openai"}
