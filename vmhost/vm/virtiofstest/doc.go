// Package virtiofstest tests the folders as a device (vmhost/share/virtiofs) with
// a real machine, which the share itself knows nothing of: a kernel of the pack
// with a first process of its own (vmguest), restored from a template.
package virtiofstest
