// Package person has tests run again as somebody who is not root, who may use FUSE: for
// runtimes that are a person's, and that root is not to try.
package person
