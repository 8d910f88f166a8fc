package agent

import (
	"cmp"
	"fmt"
	"strings"

	"piwork/pack/guest/execution"
	"piwork/pack/guest/order"
	"piwork/pack/tools"
	"piwork/vmhost/wire"
)

// maxRan bounds the lines about programs of one run: an operation on thousands
// of files starts as many, and a host keeps only so many lines. Those that failed
// are worth more than those that did not.
const (
	maxRan       = 8
	maxRanFailed = 24
)

// ran counts the programs of a run.
type ran struct {
	programs, failed int
	wallMS           int64
}

// logRan writes down how a program of the run ended. Neither its arguments nor
// its words are known here: they may be anybody's secrets.
func (r *toolRun) logRan(p order.Ran) {
	failed := p.ExitCode != 0 || p.Timeout
	r.mu.Lock()
	r.ran.programs++
	r.ran.wallMS += p.WallMS
	if failed {
		r.ran.failed++
	}
	write := r.ran.programs <= maxRan || failed && r.ran.failed <= maxRanFailed
	r.mu.Unlock()
	if !write {
		return
	}
	level, late := "debug", ""
	if failed {
		level = "info" // of a file perhaps that is damaged: the answer says so
	}
	if p.Timeout {
		late = " timeout"
	}
	r.log(level, fmt.Sprintf("program %s exit %d wall %d ms%s args %s stderr %d bytes %s",
		wire.Short(p.Program), p.ExitCode, p.WallMS, late, wire.Short(p.ArgsSHA256), p.StderrBytes, wire.Short(p.StderrSHA256)))
}

// logEnd writes down how the run ended.
func (r *toolRun) logEnd(o execution.Outcome, result wire.ToolResult) {
	level, codes := "info", []string{}
	for _, p := range result.Problems {
		if p.Path != "" {
			continue
		}
		codes = append(codes, wire.Short(p.Code))
		if p.Code != tools.Cancelled {
			level = "warn"
		}
	}
	r.mu.Lock()
	ran := r.ran
	r.mu.Unlock()
	how := cmp.Or(o.Ended, fmt.Sprintf("exit %d", o.ExitCode))
	line := fmt.Sprintf("ended, %s wall %d ms, in %d out %d problems %d", how, result.WallMS, len(r.params.In), len(result.Out), len(result.Problems))
	if ran.programs > 0 {
		line += fmt.Sprintf(", programs %d failed %d wall %d ms", ran.programs, ran.failed, ran.wallMS)
	}
	if len(codes) > 0 {
		line += ", " + strings.Join(codes[:min(len(codes), 4)], " ")
	}
	r.log(level, line)
}

// logFailure writes down that there was no run.
func (r *toolRun) logFailure(err error) { r.log("error", "not started: "+err.Error()) }

// log writes a line with what names the run: the request that the host's caller
// knows it by, where there is one, and the host's own id.
func (r *toolRun) log(level, text string) {
	if r.tools.Log == nil {
		return
	}
	name := "tool " + r.params.Op + " run " + r.params.ID
	if r.params.Request != "" {
		name += " request " + wire.Short(r.params.Request)
	}
	r.tools.Log(level, name+": "+text)
}
