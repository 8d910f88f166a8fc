//go:build desktop

package desktop

import (
	"context"
	"errors"

	"golang.org/x/sys/windows"
)

// openFile is ShellExecute: no command line is parsed.
func openFile(_ context.Context, path string) error {
	verb, err := windows.UTF16PtrFromString("open")
	if err != nil {
		return err
	}
	file, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	return windows.ShellExecute(0, verb, file, nil, nil, windows.SW_SHOWNORMAL)
}

// revealFile starts the explorer, whose exit code means nothing.
func revealFile(ctx context.Context, path string) error {
	return start(ctx, "explorer.exe", "/select,", path)
}

func noProgram(err error) bool { return isMissing(err) || errors.Is(err, windows.ERROR_NO_ASSOCIATION) }
