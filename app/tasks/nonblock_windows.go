package tasks

// nonBlocking is nothing: a file of Windows is no FIFO.
const nonBlocking = 0
