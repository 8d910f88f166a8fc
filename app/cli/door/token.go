package door

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/access"
	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/pack/lazyregexp"
)

// Token makes, lists and revokes what other programs use the API with.
func Token(e *command.Env) *cobra.Command {
	return command.Group("token",
		createToken(e),
		e.Command("list", cobra.NoArgs, listTokens),
		e.EachCommand("revoke NAME...", func(ctx context.Context, s *command.Session, name string) error {
			return s.Reply(struct{}{}, s.RevokeToken(ctx, name), func() { s.PrintText("token-revoked", "name", name) })
		}),
	)
}

func createToken(e *command.Env) *cobra.Command {
	var scopes, folders []string
	var r access.TokenRequest
	var cmd *cobra.Command
	cmd = e.Command("create NAME --scope WORDS [--folder PATH[:ro|:rw|:review]]...", cobra.ExactArgs(1), func(ctx context.Context, s *command.Session, args []string) (err error) {
		r.Name = args[0]
		switch {
		case !tokenName().MatchString(r.Name):
			return flags.Usage("token-name", "name", r.Name)
		case len(scopes) == 0:
			return flags.Usage("token-scope", "choices", joined(access.Scopes()))
		case cmd.Flags().Changed("days") && (r.Days < 1 || r.Days > mostDays):
			return flags.Usage("bounds", "flag", "--days", "min", 1, "max", mostDays)
		}
		for _, one := range scopes {
			if !slices.Contains(access.Scopes(), access.Scope(one)) {
				return flags.Usage("one-of", "flag", "--scope", "value", one, "choices", joined(access.Scopes()))
			}
			r.Scopes = append(r.Scopes, access.Scope(one))
		}
		if r.Folders, err = e.Paths(ctx).Folders(folders); err != nil {
			return err
		}
		made, err := s.CreateToken(ctx, r)
		return s.Reply(made, err, func() {
			s.PrintText("token-made", "name", made.Name, "expires", made.Expires.Local().Format(time.DateOnly))
			s.Print("%s", made.Secret)
			s.HintText("token-once")
		})
	})
	f := cmd.Flags()
	f.StringSliceVar(&scopes, "scope", nil, "")
	f.StringArrayVarP(&folders, "folder", "f", nil, "")
	f.StringSliceVar(&r.Origins, "origin", nil, "")
	f.IntVar(&r.Days, "days", 0, "")
	return cmd
}

// tokenName and mostDays are what the API takes.
var tokenName = lazyregexp.New(`^[a-z0-9][a-z0-9._-]{0,31}$`)

const mostDays = 3650

func joined(scopes []access.Scope) string {
	out := make([]string, len(scopes))
	for i, s := range scopes {
		out[i] = string(s)
	}
	return strings.Join(out, ", ")
}

func listTokens(ctx context.Context, s *command.Session, _ []string) error {
	all, err := s.Tokens(ctx)
	return s.Reply(all, err, func() {
		if command.Wide(s, all, "NAME SCOPES FOLDERS EXPIRES USED ID", func(t access.Token) []any {
			return []any{t.Name, joined(t.Scopes), len(t.Folders), t.Expires.Local().Format(time.DateOnly), used(t), t.ID}
		}) {
			return
		}
		if len(all) == 0 {
			s.PrintText("token-none")
		}
		for _, t := range all {
			s.PrintText("token-line", "name", t.Name, "scopes", joined(t.Scopes), "expires", t.Expires.Local().Format(time.DateOnly), "over", !time.Now().Before(t.Expires), "used", used(t))
			for _, f := range t.Folders {
				s.Print("  %s:%s", f.Path, f.Mode)
			}
			for _, o := range t.Origins {
				s.Print("  %s", o)
			}
		}
	})
}

// used is when a token was used last, to the hour, "" for never.
func used(t access.Token) string {
	if t.Used == nil {
		return ""
	}
	return t.Used.Local().Format("2006-01-02 15:04")
}
