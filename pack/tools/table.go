package tools

import (
	"reflect"
	"time"

	"piwork/vmhost/wire"
)

// Bounds of tables.
const (
	MaxTableSize    = 512 << 20 // bytes of a file
	MaxTableCells   = 5_000_000
	MaxTableColumns = 16_384 // as XLSX
	MaxTableRows    = 1_048_576
	MaxTableRecord  = 16 << 20 // bytes of one row, as it stands in the file
	// MaxTableUnpacked is how large an XLSX may become when it is unpacked, in
	// bytes.
	MaxTableUnpacked = 1 << 30
)

var tableFiles = []string{"csv", "tsv", "txt", "xlsx", "json"}

var tableOperations = []Operation{
	{
		Name: "table.read", Report: reflect.TypeFor[TableInfo](), Min: 1, Max: 100, Out: OutNone, Accepts: tableFiles,
		params: func() Params { return &TableRead{} },
		work:   work{each: time.Minute, mega: 10 * time.Second, memory: memoryPlenty},
	},
	{
		Name: "table.convert", Min: 1, Max: 1000, Out: OutEach, Accepts: tableFiles,
		params: func() Params { return &TableConvert{} },
		work:   work{each: time.Minute, mega: 30 * time.Second, growth: 20, memory: memoryPlenty},
	},
	{
		Name: "table.clean", Min: 1, Max: 1000, Out: OutEach, Accepts: tableFiles,
		params: func() Params { return &TableClean{} },
		work:   work{each: time.Minute, mega: 30 * time.Second, growth: 20, memory: memoryPlenty},
	},
	{
		Name: "table.merge", Report: reflect.TypeFor[Made](), Min: 1, Max: 1000, Out: OutFile, Accepts: tableFiles,
		params: func() Params { return &TableMerge{} },
		work:   work{each: time.Minute, mega: 30 * time.Second, growth: 20, memory: memoryPlenty},
	},
	{
		Name: "table.receipts", Report: reflect.TypeFor[ReceiptInfo](), Min: 1, Max: maxPDFs, Out: OutFile, Accepts: wordyFiles, Programs: wordyPrograms,
		params: func() Params { return &TableReceipts{} }, work: wordyWork,
	},
}

// TableSource says how tables are read. The kind of a file follows from its
// content, the delimiter and the encoding of text from what it holds.
type TableSource struct {
	Sheet     string `json:"sheet" schema:"maxLength=1000"` // of a workbook; "" is the first that shows something, for table.merge each
	Delimiter string `json:"delimiter" schema:"default=auto,enum=auto|comma|semicolon|tab|pipe"`
	Header    bool   `json:"header" schema:"default=true"` // the first row names the columns
}

// TableTarget says how tables are written. In CSV and TSV, a text that a
// program would take for a formula gets an apostrophe in front when safe is set. CSV that is
// cleaned or joined is written as it was read: with its delimiter (joined: of the first), and
// with a mark for UTF-8 unless it was that without one.
type TableTarget struct {
	To   string `json:"to" schema:"enum=csv|tsv|xlsx|json,byName=true"`
	Safe bool   `json:"safe" schema:"default=true"`
}

// TableRead are the parameters of table.read.
type TableRead struct {
	TableSource
	Rows int `json:"rows" schema:"default=20,min=0,max=1000"` // of which the cells are reported
}

// TableInfo is what table.read reports of each input.
type TableInfo struct {
	Path      string        `json:"path"`
	Format    string        `json:"format"` // "csv", "tsv", "xlsx", "json"
	Encoding  string        `json:"encoding,omitempty"`
	Delimiter string        `json:"delimiter,omitempty"`
	Sheets    []string      `json:"sheets,omitempty"` // of a workbook, without what is hidden or empty
	Rows      int           `json:"rows"`             // without the header
	Columns   []TableColumn `json:"columns"`
	Sample    [][]string    `json:"sample"`
	Size      int64         `json:"size"`
	SHA256    string        `json:"sha256"`
}

// TableColumn is what is known of a column.
type TableColumn struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // "number", "date", "text" or "empty"
	Empty int    `json:"empty"`
}

// TableConvert are the parameters of table.convert.
type TableConvert struct {
	TableSource
	TableTarget
	Each
}

// TableClean are the parameters of table.clean.
type TableClean struct {
	TableSource
	TableTarget
	Trim       bool     `json:"trim" schema:"default=true"`       // spaces around and doubled within cells
	DropEmpty  bool     `json:"dropEmpty" schema:"default=true"`  // rows and columns
	Duplicates bool     `json:"duplicates" schema:"default=true"` // rows that were there before are left out
	Columns    []string `json:"columns" schema:"maxItems=1000"`   // to keep, in this order; empty keeps all
	Each
}

// Check implements Params.
func (p *TableClean) Check() error {
	if len(p.Columns) > 0 && !p.Header {
		return &wire.InvalidError{Field: "params.columns", Reason: "without a header no column has a name"}
	}
	return nil
}

// TableMerge are the parameters of table.merge: the rows of all inputs one below
// the other, with the columns of the same name in one.
type TableMerge struct {
	TableSource
	TableTarget
	Source  string `json:"source" schema:"maxLength=100"` // name of a column with the file's name; "" is none
	Replace bool   `json:"replace" schema:"default=false"`
}

// TableReceipts are the parameters of table.receipts: receipts and invoices
// become a table with a row for each, in the order of the inputs. What is in it
// is found by rules (package receipt), and a column says how sure that is.
type TableReceipts struct {
	TableTarget
	Reading
	// Order of day and month where it cannot be told: 03/04/2024.
	Order    string `json:"order" schema:"default=auto,enum=auto|dmy|mdy"`
	Language string `json:"language" schema:"default=en,enum=en|de"` // of the names of the columns
	Replace  bool   `json:"replace" schema:"default=false"`
}

// ReceiptValues are what [ReceiptInfo.Unsure] may name, in its order.
var ReceiptValues = []string{"date", "seller", "total", "tax", "currency"}

// ReceiptInfo is what table.receipts reports of each input. What is not known
// is empty.
type ReceiptInfo struct {
	Path       string   `json:"path"`
	Date       string   `json:"date"` // as 2006-01-02
	Seller     string   `json:"seller"`
	Total      string   `json:"total"` // as 1234.56
	Tax        string   `json:"tax"`   // that is in the total
	Currency   string   `json:"currency"`
	Number     string   `json:"number"`     // of the invoice
	Confidence float64  `json:"confidence"` // from 0 to 1; ranks what a person should look at
	Unsure     []string `json:"unsure"`     // members that are guessed or missing
	Words      string   `json:"words"`      // "written" or "read"
	Size       int64    `json:"size"`       // of the input, in bytes
	SHA256     string   `json:"sha256"`     // likewise
}
