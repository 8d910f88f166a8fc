// Package plaintext takes the words out of documents: HTML, RTF, DOCX, ODT and
// text of any usual encoding become UTF-8 with lines that end with a line feed.
//
// # What it promises
//
//   - A document is only read: nothing that it names is opened or fetched, no
//     entity is declared, no script runs.
//   - Reading goes once through the document, after a look at its encoding. Memory
//     does not grow with how much of it is packed. More than [Max] bytes of text, or
//     more than 2,000 elements in one another, are [ErrTooLarge].
//   - What is not there to be read is left out: scripts and styles, deleted
//     text of tracked changes, the instructions of fields.
//
// A document that is damaged is an error, with what could be read before it
// lost: half a text would look like a whole one.
package plaintext
