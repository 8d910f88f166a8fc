package upkeep

import (
	"context"
	"slices"

	"piwork/vmhost/container"
)

// imageRoom counts the images of this data directory's tasks in Docker and Podman. Where neither
// listens they are not shown.
func imageRoom(ctx context.Context, o Options, out *Storage) {
	s, there, err := container.FindStored(ctx, o.DataDir)
	if !there {
		return
	}
	if err != nil {
		o.Log.Warn("Docker or Podman does not say which images it has", "error", err)
	}
	at := slices.IndexFunc(out.Items, func(i StorageItem) bool { return i.What == StorageTrees })
	out.Items = slices.Insert(out.Items, at+1, StorageItem{What: StorageImages, Bytes: s.Bytes, Frees: s.Frees, Silent: err != nil})
}

// cleanImages removes images that no task works in: one that needs it has it made again.
func cleanImages(o Options) func(context.Context) error {
	return func(ctx context.Context) error { return container.RemoveStored(ctx, o.DataDir) }
}
