package cli

import (
	"context"

	"github.com/spf13/cobra"

	"piwork/app/runtimepack"
)

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
