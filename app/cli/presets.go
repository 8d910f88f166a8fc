package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"piwork/app/cli/flags"
	"piwork/app/cli/wording"
	"piwork/app/consent"
	"piwork/app/problem"
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
				name := strings.TrimPrefix(args[0], "preset:")
				if err := knownPreset(ctx, s, name); err != nil {
					return err
				}
				p, err := s.SetNetworkPreset(ctx, name, consent.PresetChoice{On: args[1] == "on"})
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
			if p, is := errors.AsType[*problem.Problem](err); is && p.Code == problem.CodeBadRequest && p.Params["field"] == "url" {
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

// knownPreset refuses a group of addresses that there is not; "" is none.
func knownPreset(ctx context.Context, s *session, name string) error {
	if name == "" {
		return nil
	}
	list, err := s.NetworkPresets(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Code)
	}
	if !slices.Contains(names, name) {
		return flags.Usage("no-preset", "name", name, "similar", flags.Similar(name, names))
	}
	return nil
}
