package remote

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNotAlone is that a program needs others of its computer: it is not static, or not of Linux.
var ErrNotAlone = errors.New("this program does not run by itself on another computer")

// programDir is where InstallPiwork puts piwork, in ~/.cache/piwork; Clean removes it.
const programDir = "program"

// InstallPiwork sends a program, a static piwork for Linux, to be the piwork there, in the
// place of one that was sent before, and says where it is. It arrives whole, by its hash, or
// not at all; one that a person installed there is found before it.
func (c *Computer) InstallPiwork(ctx context.Context, file string) (Found, error) {
	if err := alone(file); err != nil {
		return Found{}, err
	}
	p, err := readProgram(file)
	if err != nil {
		return Found{}, err
	}
	p.dir = programDir
	client, err := c.dial(ctx)
	if err != nil {
		return Found{}, err
	}
	defer client.Close()
	for turn := 0; ; turn++ {
		if err := p.ensure(ctx, client); err != nil {
			return Found{}, err
		}
		out, err := script(ctx, client, p.linkLine(), nil, commandTime)
		if err != nil {
			return Found{}, explainCommand("make the program the one there", err)
		}
		switch out = strings.TrimSpace(out); {
		case strings.HasSuffix(out, "linked"):
			return find(ctx, client, c.Program)
		case !strings.HasSuffix(out, "lost") || turn == maxTurns:
			return Found{}, unfit(fmt.Errorf("it says %.200q", out))
		}
	}
}

// maxTurns is how often a program is sent that another installation at the same moment removes.
const maxTurns = 3

// linkLine has a program that arrived be the one there, and removes those before it. It answers
// that it is lost where somebody else did the same meanwhile: then what was there before stays.
func (p *program) linkLine() string {
	return `cd "$HOME/.cache/piwork/` + p.dir + `" && [ -x ` + p.digest + ` ] && ln -sfn ` + p.digest + ` piwork && ` +
		`for f in *; do case "$f" in piwork|` + p.digest + `) ;; *) rm -f "$f";; esac; done; ` +
		`if [ "$(readlink piwork)" = ` + p.digest + ` ] && [ -x piwork ]; then echo linked; else echo lost; fi`
}

// alone reports why a program would not run on another Linux computer.
func alone(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotAlone, err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name, _ := io.ReadAll(io.LimitReader(p.Open(), 200))
			return fmt.Errorf("%w: it is started by %.200q", ErrNotAlone, strings.TrimRight(string(name), "\x00"))
		}
	}
	return nil
}
