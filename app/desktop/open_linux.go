//go:build desktop

package desktop

import (
	"context"
	"net/url"
	"path/filepath"

	"github.com/godbus/dbus/v5"
)

func openFile(ctx context.Context, path string) error { return start(ctx, "xdg-open", path) }

// revealFile asks the file manager to select the file, as in
// https://www.freedesktop.org/wiki/Specifications/file-manager-interface/, and
// opens its folder where none answers.
func revealFile(ctx context.Context, path string) error {
	if bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx)); err == nil {
		defer bus.Close()
		uri := url.URL{Scheme: "file", Path: path}
		err = bus.Object("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1").
			CallWithContext(ctx, "org.freedesktop.FileManager1.ShowItems", 0, []string{uri.String()}, "").Err
		if err == nil {
			return nil
		}
	}
	return start(ctx, "xdg-open", filepath.Dir(path))
}

func noProgram(err error) bool { return isMissing(err) }
