package agent

import (
	"cmp"
	"context"
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
func (r *toolRun) logRan(ctx context.Context, p order.Ran) {
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
	r.log(ctx, level, fmt.Sprintf("program %s exit %d wall %d ms%s args %s stderr %d bytes %s",
		wire.Short(p.Program), p.ExitCode, p.WallMS, late, wire.Short(p.ArgsSHA256), p.StderrBytes, wire.Short(p.StderrSHA256)))
}

// logEnd writes down how the run ended.
func (r *toolRun) logEnd(ctx context.Context, o execution.Outcome, result wire.ToolResult) {
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
	r.log(ctx, level, line)
}

// pass gives the caller what programs wrote to stderr: it is nowhere else, for it may
// be anybody's secret.
func (r *toolRun) pass(ctx context.Context, words []byte) error {
	r.mu.Lock()
	room := max(0, order.MaxSaid-r.said)
	over := r.said <= order.MaxSaid && len(words) > room
	r.said += len(words)
	r.mu.Unlock()
	if words = words[:min(room, len(words))]; len(words) > 0 {
		if err := r.tools.Notify(ctx, wire.NotifyExecOutput, wire.ExecOutput{ID: r.params.ID, Stream: wire.Stderr, Data: words}); err != nil {
			return err
		}
	}
	if over {
		r.log(ctx, "info", fmt.Sprintf("programs wrote more than %d bytes to stderr: the rest is not passed on", order.MaxSaid))
	}
	return nil
}

// log tells the caller, and writes the line down with what names the run: the request
// that the host's caller knows it by, where there is one, and the host's own id.
func (r *toolRun) log(ctx context.Context, level, text string) {
	told := wire.ExecOutput{ID: r.params.ID, Stream: wire.Log, Data: []byte(level + " " + text + "\n")}
	if err := r.tools.Notify(ctx, wire.NotifyExecOutput, told); err != nil && ctx.Err() == nil {
		r.tools.report(err)
	}
	if r.tools.Log == nil {
		return
	}
	r.tools.Log(wire.LogLine{Level: level, Text: text, Op: r.params.Op, Run: r.params.ID, Request: wire.Short(r.params.Request)})
}
