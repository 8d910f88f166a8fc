//go:build desktop

package desktop

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"

	"piwork/app/problem"
)

// tellFailed shows why there is no controller, until the window is closed or the
// person starts the program anew.
func tellFailed(ctx context.Context, o Options, p *problem.Problem) error {
	var window context.Context
	pages, err := failedPages(o.Pages, p, func() error {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("start piwork anew: %w", err)
		}
		cmd := exec.CommandContext(context.WithoutCancel(ctx), self, os.Args[1:]...)
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start piwork anew: %w", err)
		}
		go func() {
			_ = cmd.Wait() // its own affair
		}()
		runtime.Quit(window)
		return nil
	})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	return wails.Run(&options.App{
		Title: "piwork", Width: 720, Height: 560, MinWidth: leastWidth, MinHeight: leastHeight,
		AssetServer: &assetserver.Options{Assets: o.Pages, Middleware: pages},
		Linux:       &linux.Options{ProgramName: "piwork", Icon: o.Icon, WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
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
