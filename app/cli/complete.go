package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/runtimepack"
)

// completeWithin is how long a shell waits for what could follow.
const completeWithin = 3 * time.Second

// complete completes the argument of a command by asking the controller. After an error
// it offers nothing: a shell can't show problems.
func (e *env) complete(of func(ctx context.Context, s *session) []cobra.Completion, otherwise cobra.ShellCompDirective) cobra.CompletionFunc {
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
		_ = e.with(ctx, func(ctx context.Context, s *session) error {
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

// versions are the installed ones that fit.
func versions(fits func(runtimepack.Info) bool) func(ctx context.Context, s *session) []cobra.Completion {
	return func(ctx context.Context, s *session) (out []cobra.Completion) {
		packs, err := s.Packs(ctx)
		if err != nil {
			return nil
		}
		for _, p := range packs {
			if fits(p) {
				out = append(out, p.Version)
			}
		}
		return out
	}
}

// addOns are the names of those that fit.
func addOns(fits func(runtimepack.AddOn) bool) func(ctx context.Context, s *session) []cobra.Completion {
	return func(ctx context.Context, s *session) (out []cobra.Completion) {
		all, err := s.AddOns(ctx)
		if err != nil {
			return nil
		}
		for _, a := range all {
			if fits(a) {
				out = append(out, a.Name)
			}
		}
		return out
	}
}

func anyVersion(runtimepack.Info) bool     { return true }
func removable(p runtimepack.Info) bool    { return !p.Current && !p.InUse }
func installed(a runtimepack.AddOn) bool   { return a.Installed }
func notThereYet(a runtimepack.AddOn) bool { return !a.Installed }
