// Package online tells files whose content is with a cloud service (OneDrive, Dropbox, iCloud,
// Box, Google Drive) and not on this computer: whoever reads one has it downloaded.
//
// # States
//
//   - Online-only: the name, the size and the times are here, the content comes when it is read.
//     Windows says so by attributes (RECALL_ON_DATA_ACCESS, RECALL_ON_OPEN, OFFLINE), macOS by a
//     flag (SF_DATALESS). File systems of FUSE, such as rclone's and gio's on Linux, have no word
//     for it: there it is a file with a size and no blocks ([OfFUSE]). One that never counts
//     blocks looks online-only as a whole, which costs a question and nothing else.
//   - A file of a service with its content here. On Windows it has a reparse tag of the service,
//     for which package os takes it for no regular file; it is one ([CloudTag]).
//   - A stub ([Stub]): before macOS 14 iCloud put ".report.pdf.icloud" in the place of report.pdf.
//     The name that the person knows is not there, and nothing but iCloud makes it a file again.
//
// # What is done with them
//
//   - Listing, planning by names, and asking for attributes open no such file.
//   - What reads one is counted (vmhost/share/guard): a guest, and the journal, which keeps what
//     was there before a change.
//   - A file that is removed or replaced is read for the journal first and never moved or linked
//     there, by undo neither: a placeholder outside of its service's folder is a name without
//     content. Where the content cannot be had (the service is offline), the change is refused,
//     so that the file stays.
//   - A stub is read-only: to remove, rename or overwrite it removes the file in the cloud, and
//     all that the journal could keep is the stub.
package online

import "strings"

// Attributes of files of Windows (winnt.h).
const (
	attributeOffline            = 0x1000
	attributeRecallOnOpen       = 0x40000
	attributeRecallOnDataAccess = 0x400000
)

// OfWindows reports whether a file with these attributes is online-only.
func OfWindows(attributes uint32) bool {
	return attributes&(attributeOffline|attributeRecallOnOpen|attributeRecallOnDataAccess) != 0
}

// CloudTag reports whether a reparse tag of Windows is that of a file of a cloud service:
// IO_REPARSE_TAG_CLOUD and its variants 1 to F (winnt.h).
func CloudTag(tag uint32) bool { return tag&^0xf000 == 0x9000001a }

// OfDarwin reports whether a file with these flags (st_flags) is online-only: SF_DATALESS of
// sys/stat.h.
func OfDarwin(flags uint32) bool { return flags&0x40000000 != 0 }

// OfFUSE reports whether a regular file of a FUSE file system is online-only, by its size in
// bytes and its blocks.
func OfFUSE(size, blocks int64) bool { return size > 0 && blocks == 0 }

// failedOfWindows reports whether an error number of Windows says that a file could not be
// downloaded: ERROR_CLOUD_FILE_* of winerror.h.
func failedOfWindows(no uint32) bool { return no >= 362 && no <= 398 || no == 404 || no == 426 }

// Stub reports whether a name is that of a stub of iCloud on this system.
func Stub(name string) bool { return hasStubs && StubOf(name) != "" }

// StubOf is the name of the file for which a stub of iCloud stands, "" where the name is none.
func StubOf(name string) string {
	of, ok := strings.CutSuffix(name, ".icloud")
	of, dot := strings.CutPrefix(of, ".")
	if !ok || !dot {
		return ""
	}
	return of
}
