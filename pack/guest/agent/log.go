//go:build linux

package agent

import (
	"context"
	"strings"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of the log on its way to the host.
const (
	logQueue = 64               // lines that wait
	logWait  = 10 * time.Second // for a conversation
)

// Logger sends lines of the agent's own log to the host, as far as there is one:
// a line that finds the queue full, or no conversation for a while, is dropped.
// The console has them all.
type Logger struct {
	lines chan wire.LogLine
}

// NewLogger returns a logger; Send takes its lines to the host.
func NewLogger() *Logger { return &Logger{lines: make(chan wire.LogLine, logQueue)} }

// Log queues a line and never waits.
func (l *Logger) Log(line wire.LogLine) {
	line.Text = bounded(line.Text)
	select {
	case l.lines <- line:
	default:
	}
}

// bounded cuts a text to what a message may hold.
func bounded(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), wire.MaxDetail)], "")
}

// Send sends what is queued with notify until ctx ends.
func (l *Logger) Send(ctx context.Context, notify func(ctx context.Context, method string, params any) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case line := <-l.lines:
			wait, cancel := context.WithTimeout(ctx, logWait)
			// A line that cannot be sent is on the console.
			_ = notify(wait, wire.NotifyLog, line)
			cancel()
		}
	}
}
