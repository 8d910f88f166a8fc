package sessions

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"piwork/pack/lazyregexp"
	"piwork/vmhost/wire"
)

// Programs that a shell can be, the better first.
var shells = []string{"bash", "sh"}

// script is where a shell finds what it reads from its control descriptor.
var script = "/proc/self/fd/" + strconv.Itoa(wire.ControlIn)

// shellArgv is the command line of a shell. On pipes it reads its commands from the control
// descriptor; on a terminal what it is to do at each prompt.
func shellArgv(name string, terminal bool) []string {
	switch {
	case !terminal && name == "bash":
		return []string{name, "--noprofile", "--norc", script}
	case !terminal:
		return []string{name, script}
	case name == "bash":
		return []string{name, "--noprofile", "--rcfile", script, "-i"}
	}
	return []string{name, "-i"}
}

// begin is what a shell is told first: it survives what interrupts its commands, of which
// then bash does nothing more, and says that it is there. Of a function only its own rest is
// left out: a trap returns from one of them.
func begin(name, number string) string {
	then := ":" // sh would end where it does nothing
	if name == "bash" {
		then = "return 130 2>/dev/null"
	}
	return "trap '" + then + "' INT\n" + mark(number)
}

// prompt is what an interactive bash is told first: to say on its control descriptor when it
// waits for a command, and when one begins.
func prompt(number string) string {
	return fmt.Sprintf("PS1='\\w\\$ '\nHISTFILE=\nPROMPT_COMMAND='builtin printf \"@%[1]s idle\\n\" >&%[2]d'\nPS0='$(builtin printf \"@%[1]s run\\n\" >&%[2]d)'\nexec %[3]d<&-\n",
		number, wire.ControlOut, wire.ControlIn)
}

// mark has a shell say its last status, how much processor time it took and, where its place has
// a control group of its own for it, the most memory that this had, between two lines with a
// number. A function named command goes, which would take the words of all of them. Each line is one write of less than PIPE_BUF: what others write there comes before or
// after it (pipe(7)).
func mark(number string) string {
	return fmt.Sprintf("( REPLY=$?; unset -f command 2>/dev/null; command printf '@%[1]s %%s\\n' \"$REPLY\" >&%[2]d )\nunset -f command 2>/dev/null\ncommand times >&%[2]d\n%[4]s\ncommand printf '@%[1]s %[3]s\\n' >&%[2]d\n", number, wire.ControlOut, over, memory())
}

// memory has a shell say that, in a shell below it: it leaves no variable, and no error.
func memory() string {
	const peak = `/sys/fs/cgroup"${REPLY#0::}"/memory.peak`
	return fmt.Sprintf("( command read -r REPLY </proc/self/cgroup && command read -r REPLY <%s && command printf '%s%%s\\n' \"$REPLY\" >&%d ) 2>/dev/null || command :", peak, peakWord, wire.ControlOut)
}

// commandArgv is the command line of a command, for its digest and the name of its program: the
// words of one that a shell only parts, else that of a shell that is given all of it.
func commandArgv(text string) []string {
	if argv := strings.Fields(text); len(argv) > 0 && plainCommand().MatchString(text) {
		return argv
	}
	return []string{shells[1], "-c", text}
}

var plainCommand = lazyregexp.New(`^[ \t]*[\pL\pN_./:@,%+-]+([ \t]+[\pL\pN_./:@,%+=-]+)*[ \t]*$`)

// order has a shell do a command, which has no control descriptor, and then say that it is
// done. Without input the command has none. The shell reads it as a file of its own (a
// here-document): what is no whole command ends with it, and the trap of [begin] can return
// from it, which it cannot from eval.
func order(command, number string, input bool) string {
	from := ""
	if !input {
		from = " </dev/null"
	}
	return fmt.Sprintf("command . %[1]s %[2]d<<'%[3]s' %[4]d>&-%[5]s\ncommand exec %[2]d<&-; %[6]s\n%[3]s\n%[7]s",
		script, wire.ControlIn, newNumber(), wire.ControlOut, from, command, mark(number))
}

// newNumber is one that nobody guesses.
func newNumber() string { return rand.Text() }

// said is one thing that a shell said on its control descriptor.
type said struct {
	number string
	word   string        // its last status; at the prompt of a terminal "run" or "idle"
	cpu    time.Duration // so far
	peak   int64         // bytes of memory, so far; 0 is unknown
}

// listener puts together what a shell says. Programs that it has started may find a way to
// write there, too: who does not know the number cannot end a command, nor hide its end.
type listener struct {
	line    []byte        // the last maxLine bytes of one that has no end yet
	open    *said         // waits for its times, and for over
	cpu     time.Duration // of the shell, as it said last
	peak    int64         // of memory, likewise
	ordered int           // commands that it was told
	told    bool          // that it waits for commands; a sh on a terminal never says so
}

const (
	maxLine = 4096 // of what a shell says
	over    = "over"

	peakWord = "peak "
)

// hear takes output of the control descriptor and returns what was said completely with a
// number that is known.
func (l *listener) hear(data []byte, known func(number string) bool) (out []said) {
	for part := range bytes.Lines(data) {
		l.line = append(l.line, part...)
		l.line = l.line[max(0, len(l.line)-maxLine):]
		if part[len(part)-1] != '\n' {
			continue
		}
		text := strings.TrimSpace(string(l.line))
		l.line = l.line[:0]
		if at := strings.LastIndexByte(text, '@'); at >= 0 {
			number, word, _ := strings.Cut(text[at+1:], " ")
			if !known(number) {
				continue
			}
			switch {
			case word == "run" || word == "idle":
				out = append(out, said{number: number, word: word})
			case word != over:
				l.open = &said{number: number, word: word}
			case l.open != nil && l.open.number == number:
				out = append(out, *l.open)
				l.open = nil
			}
			continue
		}
		if n, is := strings.CutPrefix(text, peakWord); is && l.open != nil {
			if peak, err := strconv.ParseInt(n, 10, 64); err == nil {
				l.open.peak = max(0, peak)
			}
		} else if l.open != nil {
			for field := range strings.FieldsSeq(text) {
				l.open.cpu += duration(field)
			}
		}
	}
	return out
}

// duration reads what times(1p) writes, such as 0m1.250s, in any locale; 0 is none.
func duration(text string) time.Duration {
	d, err := time.ParseDuration(strings.ReplaceAll(text, ",", "."))
	if err != nil || d < 0 {
		return 0
	}
	return d
}
