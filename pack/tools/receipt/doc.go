// Package receipt reads receipts and invoices: who sold, when, for how much.
//
// # What it is
//
// [Read] takes the text of one document, as a PDF has it or as it was read from
// a picture, in English or German, and returns a [Receipt]. It is a pure
// function made of rules: words that stand beside a total, a tax, a date or a
// number, and what amounts and dates look like in both languages. Nothing is
// learned, so the same text always gives the same answer.
//
// # What it promises
//
//   - Every value stands in the text; none is calculated, but for a tax that is
//     the sum of several rates.
//   - What is only guessed is named in [Receipt.Unsure], and lowers
//     [Receipt.Confidence]. The confidence ranks documents by how much a person
//     should look at them; it is no probability.
//   - Any text ends in time linear in its length, of which at most [MaxText] is
//     read.
package receipt
