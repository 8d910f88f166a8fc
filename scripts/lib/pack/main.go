// Command pack builds the runtime pack for scripts/pack.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/adrg/xdg"

	"piwork/pack/image"
)

func main() { os.Exit(run()) }

func run() int {
	dev := flag.String("dev-dir", "", "")
	lock := flag.Bool("lock", false, "")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := image.Options{OutDir: *dev, Log: func(l string) { fmt.Fprintln(os.Stderr, l) }}
	if *lock {
		if err := image.Relock(ctx, o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	s, _, err := image.DeveloperSigner(filepath.Join(xdg.ConfigHome, "piwork"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	name, _, err := image.BuildArchive(ctx, o, image.ArchiveOptions{Signer: s})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(os.Stdout, name)
	return 0
}
