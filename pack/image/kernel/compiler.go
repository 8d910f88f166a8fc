package kernel

// Compiler is the prefix of the names of the compiler's programs, in the room in
// which the kernel of a guest is built.
func Compiler(guest string) (string, error) {
	t, err := targetFor(guest)
	return t.cross, err
}
