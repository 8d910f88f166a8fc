//go:build !e2e

package api

// TestShell stands for the dialogs of a window in builds with the tag e2e; in
// all others there is none, whatever the environment says.
func TestShell() Shell { return nil }

// TestSave is "" in this build.
func TestSave() string { return "" }
