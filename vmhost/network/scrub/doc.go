// Package scrub takes a secret out of what a server answers, before a machine that must
// not have the secret reads the answer.
//
// A [Scrubber] knows the forms in which servers repeat what they were sent: as it is, with
// the escapes of URLs, JSON and HTML, in hexadecimal, and in base64 at each of the three
// offsets at which base64 can have it. Case does not matter. What it finds becomes as many
// asterisks, so that lengths stay true:
//
//	{"you sent": "Bearer ghp_0123456789"}  →  {"you sent": "Bearer **************"}
//
// [Scrubber.Reader] works on a stream: an end that could begin a secret is held back until
// what follows decides. It holds at most as many bytes as the longest form has.
//
// What it does not find: a secret of fewer than six bytes, a part of one, one that is
// compressed, encrypted, cut into pieces by line breaks, or encoded twice. Callers see to it
// that answers are not compressed and not asked for in pieces (Range).
//
// All forms are looked for at once (Aho and Corasick, 1975). strings.Replacer does not work
// on streams and not without case; cloudflare/ahocorasick says that something was found, not
// where.
package scrub
