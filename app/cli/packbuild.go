package cli

import "github.com/spf13/cobra"

func (e *env) packBuildCommand() *cobra.Command { return &cobra.Command{Use: "build", Hidden: true} }
