package tables

import (
	"bufio"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"piwork/pack/tools"
)

// repeated gives a beginning and then the same over and over again.
type repeated struct {
	head, body string
	left       int64 // bytes of body still to come
	at         int
	gave       int64
}

func (g *repeated) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) && len(g.head) > 0 {
		m := copy(b[n:], g.head)
		g.head, n = g.head[m:], n+m
	}
	for n < len(b) && g.left > 0 {
		m := copy(b[n:n+int(min(g.left, int64(len(b)-n)))], g.body[g.at:])
		g.at, g.left, n = (g.at+m)%len(g.body), g.left-int64(m), n+m
	}
	g.gave += int64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// One row of hundreds of megabytes is refused before it is in memory, in each way of
// writing tables; what is only long altogether is read.
func TestRowsWithoutEnd(t *testing.T) {
	const long = 400 << 20
	csv := func(r io.Reader) error {
		guarded := &records{r: r}
		tab := &Table{delimiter: "comma"}
		return tab.readRows(bufio.NewReaderSize(guarded, recordAhead), guarded)
	}
	json := func(r io.Reader) error {
		_, err := readJSON(r)
		return err
	}
	for name, row := range map[string]struct {
		read func(io.Reader) error
		in   repeated
		want error
	}{
		"commas":            {csv, repeated{body: ",", left: long}, errTooLarge},
		"one word":          {csv, repeated{head: "a,b\n", body: "x", left: long}, errTooLarge},
		"quoted":            {csv, repeated{head: "a,\"", body: "x", left: long}, errTooLarge},
		"quoted lines":      {csv, repeated{head: "a,\"", body: "x,y\r\n", left: long}, errTooLarge},
		"quotes":            {csv, repeated{head: "a,", body: "\"", left: long}, errTooLarge},
		"quotes and commas": {csv, repeated{body: "\"\",", left: long}, errTooLarge},
		"many rows":         {csv, repeated{body: "a,\"b,b\nb\",c\n", left: 14 * 130_000}, nil},
		"a long row":        {csv, repeated{head: "a,\"", body: "x, ", left: tools.MaxTableRecord / 4}, nil},
		"a list":            {json, repeated{head: "[[0", body: ",0", left: long}, errTooLarge},
		"a list of lists":   {json, repeated{head: "[[[0", body: ",[]", left: long}, errTooLarge},
		"an object":         {json, repeated{head: `[{"a":0`, body: `,"a":0`, left: long}, errTooLarge},
		"a text":            {json, repeated{head: `[{"a":"`, body: "x", left: long}, errTooLarge},
		"nothing":           {json, repeated{head: `[`, body: " ", left: long}, errTooLarge},
		"a name":            {json, repeated{head: `[{"`, body: "n", left: long}, errTooLarge},
		"cells":             {sheetRecords, repeated{head: "<sheetData><row>", body: "<c><v>1</v></c>", left: long}, errTooLarge},
		"a cell":            {sheetRecords, repeated{head: "<sheetData><row><c><v>", body: "1", left: long}, errTooLarge},
		"a tag":             {sheetRecords, repeated{head: "<sheetData><row ", body: `a="" `, left: long}, errTooLarge},
		"remarks":           {sheetRecords, repeated{head: "<sheetData><row>", body: "<!-- -->", left: long}, errTooLarge},
		"a shared text":     {sheetRecords, repeated{head: "<sst><si><t>", body: "row ", left: long}, errTooLarge},
		"rows":              {sheetRecords, repeated{head: "<sheetData>", body: "<row><c><v>" + strings.Repeat("1", 999) + "</v></c></row>\n", left: 18 << 20}, nil},
		"empty rows":        {sheetRecords, repeated{head: "<sheetData>", body: `<row r="` + strings.Repeat("1", 999) + `"/>`, left: 18 << 20}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			row.in.left -= row.in.left % int64(len(row.in.body))
			row.in.body = strings.Repeat(row.in.body, 64<<10/len(row.in.body)) // to be quick
			most := watchMemory(t, func() {
				if err := row.read(&row.in); row.want != nil && !errors.Is(err, row.want) || row.want == nil && err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("%v, want %v", err, row.want)
				}
			})
			const bound = 300 << 20 // of a machine that gives an operation 400 MiB
			if row.want != nil && (row.in.gave > 4*tools.MaxTableRecord || most > bound) {
				t.Errorf("%d MiB were read, %d MiB taken", row.in.gave>>20, most>>20)
			}
		})
	}
}

// watchMemory is how many bytes of memory more than before were taken from the system
// at a time while something was done.
func watchMemory(t *testing.T, do func()) int64 {
	t.Helper()
	debug.FreeOSMemory()
	taken := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.Sys - m.HeapReleased)
	}
	before, most := taken(), int64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, taken()-before)
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	do()
	close(stop)
	<-stopped
	return max(most, taken()-before)
}

// Texts of a workbook that end early are no fewer texts.
func TestSheetTextsCutOff(t *testing.T) {
	for part, broken := range map[string]bool{
		"<sst><si><t>a</t></si></sst>": false, "<sst><si><t>a</t></si>": true, "<sst><si><t>a\x1F</t></si></sst>": true,
		"<sst><si><t>a</si></sst>": true, "<sheetData><row>": false,
	} {
		if err := sheetRecords(strings.NewReader(part)); (err != nil) != broken {
			t.Errorf("%s: %v", part, err)
		}
	}
}
