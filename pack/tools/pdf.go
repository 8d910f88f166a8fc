package tools

import "time"

// Bounds of PDFs.
const (
	maxPDFs    = 1000
	MaxPDFSize = 4 << 30 // bytes of a file
)

var pdfMerge = Operation{
	Name: "pdf.merge", Min: 1, Max: maxPDFs, Out: OutFile,
	Programs: []string{ToolQPDF},
	params:   func() Params { return &PDFMerge{} },
	limits: func(_ Params, l Load) Limits {
		return Limits{
			Wall:     baseWall + time.Duration(l.Inputs)*10*time.Second + perMegabyte(l, time.Second),
			Program:  5*time.Minute + time.Duration(l.Inputs)*5*time.Second + perMegabyte(l, time.Second),
			FileSize: baseIO + 4*l.Bytes,
		}
	},
}

// PDFMerge are the parameters of pdf.merge: the pages of all inputs in order
// become one PDF. An input that cannot be used is a problem and the rest is
// merged.
type PDFMerge struct {
	Replace bool `json:"replace" schema:"default=false"`
}

// Check implements Params.
func (*PDFMerge) Check() error { return nil }

// Exit codes of qpdf (its manual, "Exit Status").
const (
	QPDFWarnings = 3 // it did what it was asked for and found something odd
)

// QPDFMerge joins PDFs. The same inputs give the same bytes. inputs and out
// are scratch names.
func QPDFMerge(inputs []string, out string) []string {
	argv := []string{"qpdf", "--deterministic-id", "--object-streams=generate", "--empty", "--pages"}
	return append(append(argv, inputs...), "--", out)
}

// QPDFCheck reads one PDF to its end. in is a scratch name.
func QPDFCheck(in string) []string { return []string{"qpdf", "--check", in} }
