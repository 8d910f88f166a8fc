// Package licence says in the words of SPDX under which licences something is:
// an expression of SPDX 2.3, Annex D, from what a package says about itself.
//
// Debian's copyright files are read where they are machine-readable (DEP-5,
// https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/): the
// licences of all files, joined by AND, those of the packaging (debian/*) left
// out, which is not shipped. Debian's short names are mapped to those of SPDX;
// what SPDX has no name for becomes LicenseRef-debian-…, whose text is the
// copyright file itself. Licence files of Go modules are recognised by their
// text.
//
// What cannot be read gives "", never a guess: the copyright file then speaks for
// itself.
package licence
