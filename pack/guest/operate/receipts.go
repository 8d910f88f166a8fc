package operate

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"piwork/pack/guest/operate/job"
	"piwork/pack/guest/operate/tables"
	"piwork/pack/tools"
	"piwork/pack/tools/receipt"
)

// receiptPages is how many pages of a scan are looked at: what is owed stands on
// the first ones.
const receiptPages = 10

// receiptColumns are the names of the columns, and of what a person should look
// at, by language.
var receiptColumns = map[string]map[string]string{
	"en": {
		"date": "Date", "seller": "Seller", "total": "Total", "tax": "Tax", "currency": "Currency", "number": "Number",
		"file": "File", "confidence": "Confidence", "unsure": "Please check",
	},
	"de": {
		"date": "Datum", "seller": "Verkäufer", "total": "Gesamt", "tax": "Steuer", "currency": "Währung", "number": "Nummer",
		"file": "Datei", "confidence": "Sicherheit", "unsure": "Bitte prüfen",
	},
}

// receiptOrder is the order of the columns.
var receiptOrder = []string{"date", "seller", "total", "tax", "currency", "number", "file", "confidence", "unsure"}

// tableReceipts is table.receipts.
func tableReceipts(ctx context.Context, r *job.Job, p *tools.TableReceipts) error {
	order, err := receipt.ParseOrder(p.Order)
	if err != nil {
		return err
	}
	to := r.Placer(p.Replace)
	if err := to.Probe(); err != nil {
		return err
	}
	names := receiptColumns[p.Language]
	t := &tables.Table{}
	for _, c := range receiptOrder {
		t.Header = append(t.Header, names[c])
	}
	for n, path := range r.Order.Tool.In {
		info, err := readReceipt(ctx, r, n, path, p.Reading, order)
		if err == nil {
			if err := t.Add(receiptRow(info, names)); err != nil {
				return &job.Error{Code: tools.InputTooLarge, Err: err}
			}
			r.AddInfo(info)
		}
		if err = errors.Join(r.PassOver(err), r.Sweep()); err != nil {
			return err
		}
		r.Done(n+1, path)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	const out = "receipts"
	if err := tables.Write(r, t, p.TableTarget, out); err != nil {
		return err
	}
	return r.PlaceResult(ctx, out, to)
}

// readReceipt reads one document.
func readReceipt(ctx context.Context, r *job.Job, n int, path string, reading tools.Reading, order receipt.Order) (tools.ReceiptInfo, error) {
	s, err := wordsOf(ctx, r, n, path, true, reading, receiptPages)
	if err != nil {
		return tools.ReceiptInfo{}, err
	}
	text, err := job.ReadStart(r.Scratch(s.file), receipt.MaxText)
	if err != nil {
		return tools.ReceiptInfo{}, err
	}
	found := receipt.Read(text, order)
	if s.way == tools.WordsRead { // a picture is read with mistakes
		found.Confidence = math.Round(found.Confidence*90) / 100
	}
	if found.Total == "" && found.Date == "" { // a row of guesses helps nobody
		return tools.ReceiptInfo{}, job.Refuse(tools.InputNoReceipt, path, "neither an amount nor a date was found")
	}
	return tools.ReceiptInfo{
		Path: path, Date: found.Date, Seller: found.Seller, Total: found.Total, Tax: found.Tax, Currency: found.Currency, Number: found.Number,
		Confidence: found.Confidence, Unsure: append([]string{}, found.Unsure...), Words: s.way, Size: s.answerSize, SHA256: s.sum,
	}, nil
}

// receiptRow is the row of a document.
func receiptRow(i tools.ReceiptInfo, names map[string]string) []string {
	unsure := make([]string, len(i.Unsure))
	for n, what := range i.Unsure {
		unsure[n] = names[what]
	}
	return []string{
		i.Date, i.Seller, i.Total, i.Tax, i.Currency, i.Number, strings.ToValidUTF8(filepath.Base(i.Path), "\uFFFD"),
		strconv.FormatFloat(i.Confidence, 'f', 2, 64), strings.Join(unsure, ", "),
	}
}
