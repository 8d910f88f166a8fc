//go:build desktop

package desktop

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app/problem"
)

// tellFailed shows why there is no controller, until the window is closed or the
// person starts the program anew.
func tellFailed(ctx context.Context, log *slog.Logger, o Options, p *problem.Problem) error {
	var window context.Context
	pages, err := failedPages(o.Pages, p, func() error {
		err := startSelf(ctx, log, os.Args[1:]...)
		if err == nil {
			time.AfterFunc(forceAfter, func() { os.Exit(1) }) //nolint:forbidigo // the window's loop was not left, or cannot be asked
			runtime.Quit(window)
		}
		return err
	})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	return wails.Run(&options.App{
		Title: "piwork", Width: 720, Height: 560, MinWidth: leastWidth, MinHeight: leastHeight,
		AssetServer: &assetserver.Options{Assets: o.Pages, Middleware: pages},
		Linux:       onLinux(o),
		Windows:     onWindows(),
		OnStartup: func(c context.Context) {
			window = c
			go func() {
				select {
				case <-ctx.Done():
					runtime.Quit(c)
				case <-ended:
				}
			}()
		},
	})
}
