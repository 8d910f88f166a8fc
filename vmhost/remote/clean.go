package remote

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Usage is what this piwork has on a computer.
type Usage struct {
	Bytes  int64     // on the disk: what Clean frees
	Places int       // at work, also those of another computer's tasks
	Used   time.Time // when a place was made or ended last; zero where none ever was
	Piwork Found     // the piwork that works there by itself; zero for none
}

// Bounds of what a computer says about its disk.
const (
	maxUsedKiB = 1 << 50
	maxPlaces  = 1 << 20
)

// ownDirs are those of pack/guest/remote in ~/.cache/piwork, and that of InstallPiwork. A piwork that is installed there
// has its caches beside them.
const ownDirs = "agent pack run " + programDir

// Usage asks a computer what piwork has there. Nothing is sent to it or made there.
func (c *Computer) Usage(ctx context.Context) (Usage, error) {
	client, err := c.dial(ctx)
	if err != nil {
		return Usage{}, err
	}
	defer client.Close()
	out, err := script(ctx, client, safe+
		`cd "$HOME/.cache/piwork" 2>/dev/null || { echo 0 0 0; exit 0; }; `+
		`k=0; for d in `+ownDirs+`; do [ -d "$d" ] || continue; s=$(du -sk "$d" 2>/dev/null | cut -f1); k=$((k + ${s:-0})); done; n=0; for r in run/*; do [ -d "$r" ] && n=$((n+1)); done; `+
		`t=$(stat -c %Y run 2>/dev/null); echo "${k:-0} $n ${t:-0}"`, nil, commandTime)
	if err != nil {
		return Usage{}, explainCommand("ask the other computer what piwork has there", err)
	}
	u, err := parseUsage(out)
	if err != nil {
		return u, err
	}
	u.Piwork, err = find(ctx, client, c.Program)
	if none := (*ProgramError)(nil); errors.As(err, &none) {
		return u, nil
	}
	return u, err
}

// parseUsage reads what a computer said: KiB, places, and a time.
func parseUsage(out string) (u Usage, err error) {
	said := strings.TrimSpace(out)
	if said == "unsafe" {
		return u, unfit(errors.New("~/.cache there is a link, or belongs to another user: piwork looks at nothing in it"))
	}
	words := strings.Fields(said)
	numbers := make([]int64, len(words))
	for i, w := range words {
		if numbers[i], err = strconv.ParseInt(w, 10, 64); err != nil {
			break
		}
	}
	if err != nil || len(words) != 3 || numbers[0] < 0 || numbers[0] > maxUsedKiB || numbers[1] < 0 || numbers[1] > maxPlaces || numbers[2] < 0 {
		return u, unfit(fmt.Errorf("it says %.200q", said))
	}
	u = Usage{Bytes: numbers[0] << 10, Places: int(numbers[1])}
	if numbers[2] > 0 {
		u.Used = time.Unix(min(numbers[2], time.Now().Unix()), 0) // its clock may be ahead
	}
	return u, nil
}

// stopLine ends a controller that is a program of ours. One that a person installed there may have
// the same data, and its tasks go on.
const stopLine = `p=` + programDir + `/piwork; if [ -x "$p" ]; then for e in /proc/[0-9]*/exe; do case "$(readlink "$e" 2>/dev/null)" in "$(pwd -P)/` + programDir + `/"*) ` +
	`"$p" serve --stop --cancel >/dev/null 2>&1 </dev/null; break;; esac; done; fi; `

// Clean ends what this piwork has running there, and removes all that it left. That
// includes a piwork that was sent there, but not its data; what a person installed there is
// not touched.
func (c *Computer) Clean(ctx context.Context) error {
	client, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	out, err := script(ctx, client, safe+
		`cd "$HOME/.cache/piwork" 2>/dev/null || { echo clean; exit 0; }; `+
		`for r in run/*; do [ -e "$r" ] || continue; for a in agent/*; do [ -x "$a" ] || continue; `+
		`echo "{\"action\":\"end\",\"id\":\"${r#run/}\"}" | "$a" remote > /dev/null 2>&1 && break; done; done; `+
		stopLine+
		`for d in `+ownDirs+`; do if [ -d "$d" ] && [ ! -L "$d" ]; then chmod -R u+rwx "$d"; fi; rm -rf "$d" || exit 1; done; `+
		`cd / && { rmdir "$HOME/.cache/piwork" 2>/dev/null; echo clean; }`, nil, 2*time.Minute)
	switch {
	case err != nil:
		return explainCommand("clean", err)
	case strings.HasSuffix(strings.TrimSpace(out), "unsafe"):
		return unfit(errors.New("~/.cache there is a link, or belongs to another user: piwork removes nothing in it"))
	case !strings.HasSuffix(strings.TrimSpace(out), "clean"):
		return unfit(fmt.Errorf("it says %.200q", out))
	}
	return nil
}
