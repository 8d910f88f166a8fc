package ledger

import "piwork/vmhost/share/internal/at"

// Kept is what Redo needs to do a change again that undo took back: how things
// were left, by the task or by a person after it.
type Kept struct {
	Change Change     `json:"change"`
	Dir    uint32     `json:"dir"`            // with Name: the place afterwards; for what was deleted, before
	Name   Raw        `json:"name"`           //
	From   uint32     `json:"from,omitempty"` // for what was deleted or moved: the directory before
	Obj    uint32     `json:"obj,omitempty"`  // what the person had, or a name was given to
	Made   uint32     `json:"made,omitempty"` // what the task had made there
	State  State      `json:"s"`
	Has    bool       `json:"has,omitempty"`   // the content is kept: in the log, else in undone/File
	Inline int64      `json:"n,omitempty"`     // bytes in the log
	File   string     `json:"file,omitempty"`  //
	Parts  bool       `json:"parts,omitempty"` // File has only what differs from before
	Copy   bool       `json:"copy,omitempty"`  // File is not the file itself
	Bytes  int64      `json:"bytes,omitempty"` // length of File; 0: not known
	Lost   bool       `json:"lost,omitempty"`  // there was no room for it
	Attrs  at.AttrSet `json:"a,omitempty"`     // extended attributes, of content that was copied

	Content *Inline `json:"-"` // the content in the log
}

// Linked reports whether the file itself is kept, with whom it belongs to and all
// that the system keeps with it.
func (k *Kept) Linked() bool { return k.File != "" && !k.Parts && !k.Copy }
