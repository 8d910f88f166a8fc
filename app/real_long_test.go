//go:build vm && long

package app

// realKillPoints are the moments that a task in a real machine is killed at, one of
// each kind of event.
var realKillPoints = []string{
	"after state queued", "after state preparing", "after step boot", "after state running", "after message user", "after delta",
	"after message assistant", "after usage", "after tool write started", "after tool write done", "after question", "after state waiting",
	"after decision", "after notice turn", "after notice settled", "after result", "before state done",
}

// The protocols in which tasks in a real machine speak.
var (
	realProtocols  = []string{"anthropic", "openai"}
	roughProtocols = realProtocols
)
