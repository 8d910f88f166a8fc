//go:build !linux

package upkeep

import (
	"context"
	"time"
)

func unusedTrees(string, time.Time) ([]string, error) { return nil, nil }

func pruneTrees(context.Context, string, time.Time) error { return nil }
