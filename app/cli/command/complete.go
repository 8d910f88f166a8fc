package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completeWithin is how long a shell waits for what could follow.
const completeWithin = 3 * time.Second

// Complete completes the argument of a command by asking the controller. After an error
// it offers nothing: a shell can't show problems.
func (e *Env) Complete(of func(ctx context.Context, s *Session) []cobra.Completion, otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		parent := c.Context()
		if parent == nil { // of a flag's completion
			parent = context.Background()
		}
		ctx, cancel := context.WithTimeout(parent, completeWithin)
		defer cancel()
		_ = e.With(ctx, func(ctx context.Context, s *Session) error {
			for _, word := range of(ctx, s) {
				if strings.HasPrefix(word, begun) && !slices.Contains(out, word) {
					out = append(out, word)
				}
			}
			return nil
		})
		return out, otherwise
	}
}
