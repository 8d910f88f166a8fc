//go:build !amd64

package setup

// askProcessor has nothing to ask: other processors answer the kernel only.
func askProcessor() processor { return processor{} }
