// Package parity holds every kind of runtime to the same results: a corpus of scripts
// and tool calls runs in each, and what comes back is compared.
//
// The corpus is data: the archives corpus/*.txtar, one file of an archive for each
// [Case]. Its first lines that begin with "#:" say how it runs, the others are a script
// for /bin/sh, which starts in a directory of its own:
//
//	-- cat with input --
//	#: stdin "one\ntwo\n"
//	cat
//
//	-- pdf.merge of a page twice --
//	#: tool pdf.merge
//	#: in ["a.pdf", "a.pdf"]
//	#: out b.pdf
//	printf … > a.pdf
//	#: then
//	pdfinfo b.pdf | grep Pages
//
// The file "functions" of an archive is in front of each of its scripts. A script of a
// tool call makes its inputs, and what is said after "#: then" comes after the call.
//
// A script is independent of all others and prints nothing that is another at the next
// time: no time, process or random name. The path of its directory reads /case in what
// is compared; more than a page of output, or one that is no text, is compared by its
// digest.
//
// corpus/golden.json is what the machine (kind "vm") gave; its test writes it with
// -update. corpus/differences.json lists what another kind does otherwise, each with its
// reason and with the members that then differ. A difference that is not listed, or is another
// one than is listed, fails, and so does a listed one that no longer differs.
// corpus/lacks.json says why a kind cannot play some cases; others it has to.
//
// The kind "folders:sandbox" is a sandbox whose cases are played in a folder of a person,
// "copies:kubernetes" a Pod that has copies of them.
//
// Each kind is played by the tests of its package. They leave a column ([Column]), and
// scripts/lib/paritytable makes one table of all, which is to have a column of every kind that
// this computer has.
//
// An ordinary run plays the cases that say "#: ordinary", in a machine those of some subjects;
// ./scripts/test all every one.
package parity
