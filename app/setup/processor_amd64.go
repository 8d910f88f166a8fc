package setup

// cpuid runs the instruction of this name.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// askProcessor reads what the processor says of itself.
func askProcessor() processor { return processorOf(cpuid) }
