package ninep

import (
	"encoding/binary"
	"strings"

	"github.com/hugelgupf/p9/linux"

	"piwork/vmhost/share/internal/at"
)

// msgType is the type byte of a 9P2000.L message.
type msgType byte

// Requests of 9P2000.L, and Rlerror; the type of a reply is that of its request
// plus one.
const (
	rError       msgType = 7
	tStatfs      msgType = 8
	tLopen       msgType = 12
	tLcreate     msgType = 14
	tSymlink     msgType = 16
	tMknod       msgType = 18
	tRename      msgType = 20
	tReadlink    msgType = 22
	tGetattr     msgType = 24
	tSetattr     msgType = 26
	tXattrwalk   msgType = 30
	tXattrcreate msgType = 32
	tReaddir     msgType = 40
	tFsync       msgType = 50
	tLock        msgType = 52
	tGetlock     msgType = 54
	tLink        msgType = 70
	tMkdir       msgType = 72
	tRenameat    msgType = 74
	tUnlinkat    msgType = 76
	tVersion     msgType = 100
	tAttach      msgType = 104
	tFlush       msgType = 108
	tWalk        msgType = 110
	tRead        msgType = 116
	tWrite       msgType = 118
	tClunk       msgType = 120
	tRemove      msgType = 122
)

// forms says what each request is made of. What is not here (authentication,
// other dialects) is answered with EOPNOTSUPP:
//
//	1 2 4 8  integers  n  name, a single component
//	t  target of a symbolic link
//	s  any other string
//	*  count[2] and so many names
//	o  offset, at most 2^63-1
//	?  the rest, if any, is ignored
var forms = map[msgType]string{
	tStatfs:      "4",
	tLopen:       "44",
	tLcreate:     "4n444",
	tSymlink:     "4nt4",
	tMknod:       "4n4444",
	tRename:      "44n",
	tReadlink:    "4",
	tGetattr:     "48",
	tSetattr:     "4444488888",
	tXattrwalk:   "44s",
	tXattrcreate: "4s84",
	tReaddir:     "4o4",
	tFsync:       "4?",
	tLock:        "41488?",
	tGetlock:     "41884s",
	tLink:        "44n",
	tMkdir:       "4n44",
	tRenameat:    "4n4n",
	tUnlinkat:    "4n4",
	tAttach:      "44ss?",
	tFlush:       "2",
	tWalk:        "44*",
	tRead:        "4o4",
	tWrite:       "4o4",
	tClunk:       "4",
	tRemove:      "4",
}

// maxWalk is MAXWELEM of the protocol.
const maxWalk = 16

// check returns the error that a frame is answered with because of its form,
// or 0. What passed can be read with a cursor.
func (f *frame) check() linux.Errno {
	form, ok := forms[f.typ]
	if !ok {
		return linux.EOPNOTSUPP
	}
	b := f.bytes[headLen:]
	for _, c := range form {
		if c == '?' {
			return 0
		}
		var errno linux.Errno
		if b, errno = field(b, c); errno != 0 {
			return errno
		}
	}
	if len(b) > 0 || f.typ == tWrite && f.payload != int(binary.LittleEndian.Uint32(f.bytes[writeLen-4:])) {
		return linux.EINVAL
	}
	return 0
}

// field takes one field off b.
func field(b []byte, c rune) ([]byte, linux.Errno) {
	switch c {
	case 'n', 't', 's':
		s, rest, ok := cutString(b)
		if !ok {
			return b, linux.EINVAL
		}
		return rest, checkString(s, c)
	case '*':
		return walkNames(b)
	case 'o':
		if len(b) < 8 || b[7]&0x80 != 0 {
			return b, linux.EINVAL
		}
		return b[8:], 0
	}
	width := int(c - '0')
	if len(b) < width {
		return b, linux.EINVAL
	}
	return b[width:], 0
}

func walkNames(b []byte) ([]byte, linux.Errno) {
	if len(b) < 2 {
		return b, linux.EINVAL
	}
	n := binary.LittleEndian.Uint16(b)
	b = b[2:]
	if n > maxWalk {
		return b, linux.EINVAL
	}
	for range n {
		s, rest, ok := cutString(b)
		if !ok {
			return b, linux.EINVAL
		}
		if errno := checkString(s, 'n'); errno != 0 {
			return b, errno
		}
		b = rest
	}
	return b, 0
}

func cutString(b []byte) (string, []byte, bool) {
	if len(b) < 2 {
		return "", b, false
	}
	n := int(binary.LittleEndian.Uint16(b))
	if len(b)-2 < n {
		return "", b, false
	}
	return string(b[2 : 2+n]), b[2+n:], true
}

func checkString(s string, c rune) linux.Errno {
	switch {
	case c == 'n' && len(s) > at.MaxName, c == 't' && len(s) >= maxTarget:
		return linux.ENAMETOOLONG
	case c == 'n' && at.CheckName(s) != nil:
		return linux.EINVAL
	case c == 't' && (s == "" || strings.IndexByte(s, 0) >= 0):
		return linux.EINVAL
	}
	return 0
}

// maxTarget is PATH_MAX of Linux.
const maxTarget = 4096

// cursor reads the fields of a message that passed check, in their order.
type cursor []byte

func (c *cursor) u16() uint16 {
	v := binary.LittleEndian.Uint16(*c)
	*c = (*c)[2:]
	return v
}

func (c *cursor) u32() uint32 {
	v := binary.LittleEndian.Uint32(*c)
	*c = (*c)[4:]
	return v
}

func (c *cursor) u64() uint64 {
	v := binary.LittleEndian.Uint64(*c)
	*c = (*c)[8:]
	return v
}

func (c *cursor) str() string {
	s, rest, _ := cutString(*c)
	*c = rest
	return s
}
