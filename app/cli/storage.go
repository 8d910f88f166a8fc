package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"piwork/app/cli/command"
	"piwork/app/cli/flags"
	"piwork/app/cli/terminal"
	"piwork/app/cli/wording"
	"piwork/app/problem"
	"piwork/app/projectcache"
	"piwork/app/upkeep"
	"piwork/app/words"
)

func storageCommand(e *env) *cobra.Command {
	cmd := e.Command("storage", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		all, err := s.Storage(ctx)
		return e.Reply(all, err, func() { printStorage(e, all) })
	})
	loseUndo := false
	kinds := []upkeep.StorageKind{upkeep.StorageRuntime, upkeep.StorageCaches, upkeep.StorageTrees, upkeep.StorageImages, upkeep.StorageEnvironments, upkeep.StorageDownloads, upkeep.StorageLogs, upkeep.StorageJournals}
	clean := &cobra.Command{
		Use:       "clean WHAT...",
		Args:      cobra.MinimumNArgs(1),
		ValidArgs: flags.Names(kinds),
		RunE: command.Do(func(ctx context.Context, args []string) error {
			what, err := flags.OneOf("storage clean", args, kinds)
			if err != nil {
				return err
			}
			r := upkeep.CleanRequest{What: what, LoseUndo: loseUndo}
			if slices.Contains(r.What, upkeep.StorageJournals) && !loseUndo {
				return flags.Usage("lose-undo")
			}
			return e.With(ctx, func(ctx context.Context, s *session) error {
				done, err := s.CleanStorage(ctx, r)
				return e.Reply(done, err, func() {
					e.PrintText("freed", "bytes", done.Freed)
					for _, id := range done.Waiting {
						e.HintText("undo-waits", "id", words.ShortID(id))
					}
				})
			})
		}),
	}
	clean.Flags().BoolVar(&loseUndo, "lose-undo", false, "")
	caches := e.Command("caches", cobra.NoArgs, func(ctx context.Context, s *session, _ []string) error {
		all, err := s.Caches(ctx)
		return e.Reply(all, err, func() { printCaches(e, all) })
	})
	empty := e.EachCommand("empty CACHE...", func(ctx context.Context, s *session, id string) error { return noCache(id, s.EmptyCache(ctx, id)) })
	back := e.EachCommand("back CACHE...", func(ctx context.Context, s *session, id string) error { return noCache(id, s.BackCache(ctx, id)) })
	cmd.AddCommand(clean, caches, empty, back, storageMoveCommand(e))
	return cmd
}

// noCache says where caches are listed, where the controller has none of an id.
func noCache(id string, err error) error {
	if p, is := errors.AsType[*problem.Problem](err); is && (p.Code == problem.CodeNotFound || p.Code == problem.CodeBadRequest) {
		return flags.Usage("no-cache", "name", id)
	}
	return err
}

// printCaches shows the caches of projects, by what `storage empty` takes.
func printCaches(e *env, all []projectcache.Cache) {
	if len(all) == 0 {
		e.PrintText("no-caches")
	}
	for _, c := range all {
		note := c.Used.Local().Format(time.DateTime)
		if c.InUse {
			note = terminal.Text("cache-in-use")
		}
		e.Print("%10s  %s  %s%s", terminal.Size(c.Bytes), c.ID, note, foldersOf(c.Project))
	}
}

// foldersOf are the folders whose cache it is; "" for one with a name.
func foldersOf(p projectcache.Project) string {
	if len(p.Folders) == 0 {
		return ""
	}
	return "  " + words.Printable(strings.Join(p.Folders, ", "))
}

func printStorage(e *env, all upkeep.Storage) {
	total := int64(0)
	for _, i := range all.Items {
		total += i.Bytes
		note := ""
		switch {
		case i.LosesUndo:
			note = "  (" + terminal.Text("can-free-undo", "bytes", i.Frees, "what", i.What) + ")"
		case i.Cleanable:
			note = "  (" + terminal.Text("can-free", "bytes", i.Frees, "what", i.What) + ")"
		}
		e.Print("%10s  %s%s", terminal.Size(i.Bytes), wording.Name("storage", i.What), note)
		if i.Silent {
			e.Print("            %s", terminal.Text("storage-silent"))
		}
	}
	e.Print("%10s  %s", terminal.Size(total), terminal.Text("total"))
	if all.FreeBytes >= 0 {
		e.Print("%10s  %s", terminal.Size(all.FreeBytes), terminal.Text("free"))
	}
}
