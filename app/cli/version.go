package cli

import (
	"context"
	"runtime"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
)

func versionCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: cobra.NoArgs,
		RunE: command.Do(func(context.Context, []string) error {
			v := struct {
				Version   string `json:"version"`
				Developer bool   `json:"developer"`
				OS        string `json:"os"`
				Arch      string `json:"arch"`
			}{version, Developer(), runtime.GOOS, runtime.GOARCH}
			return e.Reply(v, nil, func() {
				e.Print("piwork %s (%s/%s)", v.Version, v.OS, v.Arch)
				if v.Developer {
					e.PrintText("developer-build")
				}
			})
		}),
	}
}
