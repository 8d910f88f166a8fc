//go:build desktop

package desktop

import "context"

func openFile(ctx context.Context, path string) error { return start(ctx, "open", path) }

func revealFile(ctx context.Context, path string) error { return start(ctx, "open", "-R", path) }
