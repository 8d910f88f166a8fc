// Command piwork opens its window, also for a link, files and folders; with other
// arguments it is a command line. Built
// without the tag desktop it is the command line alone, without cgo.
package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"

	"piwork/app/cli"
	"piwork/app/desktop"
)

// The built front end; empty but for .gitkeep where it was not built.
//
//go:embed all:frontend/dist
var dist embed.FS

//go:embed build/appicon.png
var icon []byte

func main() {
	pages, err := fs.Sub(dist, "frontend/dist")
	if err != nil {
		fmt.Fprintln(os.Stderr, "piwork:", err)
		os.Exit(cli.ExitFailed)
	}
	if desktop.Available {
		dir, _ := os.Getwd() // without one only whole paths are understood
		start, window, err := desktop.ParseArgs(os.Args[1:], dir)
		switch {
		case window && err != nil:
			fmt.Fprintln(os.Stderr, "piwork:", err)
			os.Exit(cli.ExitUsage)
		case window:
			os.Exit(desktop.Main(desktop.Options{Pages: pages, Icon: icon, Version: cli.Version(), Developer: cli.Developer(), Start: start}))
		}
	}
	os.Exit(cli.Main(os.Args[1:], cli.Options{Pages: pages, NoWindow: !desktop.Available}))
}
