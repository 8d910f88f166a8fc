//go:build desktop

package desktop

import "context"

func openFile(ctx context.Context, path string) error { return start(ctx, "open", path) }

func noProgram(err error) bool { return isMissing(err) }

func revealFile(ctx context.Context, path string) error { return start(ctx, "open", "-R", path) }
