package flags

import "github.com/spf13/cobra"

// Similar are the names that a mistyped one may mean.
func Similar(typed string, names []string) []string {
	if typed == "" {
		return nil
	}
	c := &cobra.Command{SuggestionsMinimumDistance: 2} // letters; it finds commands, and so any name
	for _, name := range names {
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return c.SuggestionsFor(typed)
}
