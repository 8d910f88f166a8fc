// Package changes makes of one change that a task made to a file what a person
// can look at: the lines of a text that differ, the cells of a table, the
// picture before and after, or a few facts in words.
//
// # Parties
//
// Below stands whoever kept the contents: a journal, or a layer of changes that
// wait for a person (vmhost/share). It is asked through an [Opener], which knows
// nothing of this package. Above are the local API, the command line and the
// window: a [Comparison] carries plain values, never markup, and the words are
// theirs.
//
// # Bounds
//
// Both sides come from a guest and are hostile. Whatever they hold:
//
//   - at most [Limits.Skip] bytes of a side are read to find where a large file
//     begins to differ, and [Limits.Text] bytes of it are compared; that it was a
//     part is said ([Part]);
//   - the work of comparing n lines is bounded by a constant times n, at the cost
//     of coarser differences where nearly everything differs;
//   - what is returned is bounded in lines, cells and their length, and that it
//     was cut is said;
//   - a picture is described by its header, and is offered for showing only when
//     it is of a kind that browsers show and its size and its pixels are few enough
//     to be decoded; nothing here decodes one.
//
// Text is returned as it is: control characters and marks that turn the
// direction of writing are for whoever shows it to make visible.
package changes
