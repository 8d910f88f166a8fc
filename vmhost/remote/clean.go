package remote

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Usage is what piwork has on a computer.
type Usage struct {
	Bytes  int64     // on the disk: what Clean frees
	Places int       // at work, also those of another computer's tasks
	Used   time.Time // when a place was made or ended last; zero where none ever was
}

// Bounds of what a computer says about its disk.
const (
	maxUsedKiB = 1 << 50
	maxPlaces  = 1 << 20
)

// Usage asks a computer what piwork has there. Nothing is sent to it or made there.
func (c *Computer) Usage(ctx context.Context) (Usage, error) {
	client, err := c.dial(ctx)
	if err != nil {
		return Usage{}, err
	}
	defer client.Close()
	out, err := script(ctx, client, safe+
		`cd "$HOME/.cache/piwork" 2>/dev/null || { echo 0 0 0; exit 0; }; `+
		`k=$(du -sk . 2>/dev/null | cut -f1); n=0; for r in run/*; do [ -d "$r" ] && n=$((n+1)); done; `+
		`t=$(stat -c %Y run 2>/dev/null); echo "${k:-0} $n ${t:-0}"`, nil, commandTime)
	if err != nil {
		return Usage{}, explainCommand("ask the other computer what piwork has there", err)
	}
	return parseUsage(out)
}

// parseUsage reads the last line of what a computer said: KiB, places, and a time.
func parseUsage(out string) (u Usage, err error) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	said := lines[len(lines)-1] // a login shell may have said something before
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

// Clean ends what piwork has running there, and removes all that it left.
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
		`cd / && chmod -R u+rwx "$HOME/.cache/piwork" && rm -rf "$HOME/.cache/piwork" && echo clean`, nil, 2*time.Minute)
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
