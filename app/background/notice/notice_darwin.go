package notice

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

const shownWithin = 10 * time.Second

// System shows messages by osascript(1): a program without a bundle of its own can do no more,
// and a click on one opens nothing of piwork.
func System() Shower { return script{} }

type script struct{}

// Show implements Shower. The texts are arguments, never part of the script; each begins
// with a space, so that none is taken for an option.
func (script) Show(m Message, _ func()) error {
	ctx, stop := context.WithTimeout(context.Background(), shownWithin)
	defer stop()
	err := exec.CommandContext(ctx, "osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
		"-e", "end run", " "+Plain(m.Title), " "+Plain(m.Body)).Run()
	if err != nil {
		return fmt.Errorf("show a message: %w", err)
	}
	return nil
}

// Close implements Shower.
func (script) Close() {}
