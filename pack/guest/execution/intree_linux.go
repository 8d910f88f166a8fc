package execution

import (
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxShebang is how much of a script's first line the kernel reads, in bytes.
const maxShebang = 255

// inTree is the program to start for one that was found, and its arguments: where the tree
// has a program of that full path, or the interpreter that a script names, it is that one.
func (s launchSpec) inTree(path string) (string, []string) {
	if s.Tree == "" {
		return path, s.Argv
	}
	path = s.ofTree(path)
	interpreter, argument := interpreterOf(path)
	if own := s.ofTree(interpreter); own != interpreter {
		argv := []string{interpreter}
		if argument != "" {
			argv = append(argv, argument)
		}
		return own, append(append(argv, path), s.Argv[1:]...)
	}
	return path, s.Argv
}

// ofTree is the path of a program in the tree; where there is none, it is as it was.
func (s launchSpec) ofTree(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, s.Tree+"/") {
		return path
	}
	var st unix.Stat_t
	if unix.Stat(s.Tree+path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0 {
		return path
	}
	return s.Tree + path
}

// interpreterOf reads which program runs a script, and with which argument, as the kernel
// does; "" for what is no script.
func interpreterOf(path string) (interpreter, argument string) {
	f, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, maxShebang))
	line, is := strings.CutPrefix(string(head), "#!")
	if err != nil || !is {
		return "", ""
	}
	line, _, _ = strings.Cut(line, "\n")
	interpreter, argument, _ = strings.Cut(strings.Trim(line, " \t"), " ")
	return interpreter, strings.Trim(argument, " \t")
}
