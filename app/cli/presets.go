package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/consent"
	"piwork/app/problem"

	"piwork/app/cli/wording"
)

func presetsCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use: "presets [NAME on|off]",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && (len(args) != 2 || args[1] != "on" && args[1] != "off") {
				return flags.Usage("preset")
			}
			return nil
		},
		RunE: e.Connected(func(ctx context.Context, s *session, args []string) error {
			if len(args) == 2 {
				p, err := s.SetNetworkPreset(ctx, strings.TrimPrefix(args[0], "preset:"), consent.PresetChoice{On: args[1] == "on"})
				return e.Reply(p, err, func() { e.Print("%s", wording.PresetLine(p)) })
			}
			list, err := s.NetworkPresets(ctx)
			return e.Reply(list, err, func() {
				for _, p := range list {
					e.Print("%s", wording.PresetLine(p))
				}
			})
		}),
	}
}

func webSearchCommand(e *env) *cobra.Command {
	return e.Command("search [ADDRESS|off]", cobra.MaximumNArgs(1), func(ctx context.Context, s *session, args []string) error {
		w, err := s.WebSearch(ctx)
		if len(args) == 1 && err == nil {
			choice := consent.WebSearch{Kind: consent.SearchSearXNG, URL: args[0]}
			if args[0] == "off" {
				choice = consent.WebSearch{Kind: consent.SearchNone}
			}
			w, err = s.SetWebSearch(ctx, choice)
			var p *problem.Problem
			if errors.As(err, &p) && p.Code == problem.CodeBadRequest && p.Params["field"] == "url" {
				return flags.Usage("search-address", "value", args[0], "word", "off")
			}
		}
		return e.Reply(w, err, func() {
			if w.Kind == consent.SearchNone {
				e.PrintText("no-search")
				return
			}
			e.PrintText("search-at", "url", w.URL)
		})
	})
}
