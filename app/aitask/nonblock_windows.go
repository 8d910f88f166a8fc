package aitask

// nonBlocking is nothing: a file of Windows is no FIFO.
const nonBlocking = 0
