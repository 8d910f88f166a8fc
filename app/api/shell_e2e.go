//go:build e2e

package api

import (
	"context"
	"os"
)

// TestShell stands for the dialogs of a window in builds with the tag e2e: it
// answers with the paths in PIWORK_E2E_FOLDER and PIWORK_E2E_FILE, and opens
// nothing. It is nil when neither is set.
func TestShell() Shell {
	folder, file := os.Getenv("PIWORK_E2E_FOLDER"), os.Getenv("PIWORK_E2E_FILE")
	if folder == "" && file == "" {
		return nil
	}
	return testShell{folder: folder, file: file}
}

// TestSave stands for the dialog that asks where to save: the path in
// PIWORK_E2E_SAVE, "" when it is not set.
func TestSave() string { return os.Getenv("PIWORK_E2E_SAVE") }

type testShell struct{ folder, file string }

func (s testShell) PickFolder(context.Context, string) (string, error)         { return s.folder, nil }
func (s testShell) PickFile(context.Context, string, []string) (string, error) { return s.file, nil }
func (s testShell) PickFiles(context.Context, string, []string) ([]string, error) {
	return []string{s.file}, nil
}
func (s testShell) OpenFile(context.Context, string) error   { return nil }
func (s testShell) RevealFile(context.Context, string) error { return nil }
