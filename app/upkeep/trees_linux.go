package upkeep

import (
	"context"
	"time"

	"piwork/vmhost/sandbox/tree"
)

func unusedTrees(dir string, before time.Time) ([]string, error) { return tree.Unused(dir, "", before) }

func pruneTrees(ctx context.Context, dir string, before time.Time) error {
	return tree.Prune(ctx, dir, "", before)
}
