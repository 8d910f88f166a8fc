package parity

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"piwork/scripts/lib/tier"
)

// EnvColumns names the directory into which Run writes columns, for scripts/lib/paritytable:
// ordinary/KIND.json or every/KIND.json.
const EnvColumns = "PIWORK_TEST_PARITY"

// Column is what a run made of one kind.
type Column struct {
	Kind     string
	Corpus   string // its Digest
	Verdicts []Verdict
}

// columnDir is where the columns of a run are: of every row, or an ordinary one.
func columnDir(dir string, every bool) string {
	if every {
		return filepath.Join(dir, "every")
	}
	return filepath.Join(dir, "ordinary")
}

// writeColumn writes a column that is whole: -run has not chosen some cases.
func writeColumn(kind string, column []Verdict) error {
	dir := os.Getenv(EnvColumns)
	if dir == "" {
		return nil
	}
	c := Column{Kind: kind, Verdicts: column}
	var err error
	if c.Corpus, err = Digest(); err != nil || c.whole(tier.All) != nil {
		return err
	}
	b, err := json.MarshalIndent(c, "", "\t")
	dir = columnDir(dir, tier.All)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(kind, ":", "-")+".json"), b, 0o644)
	}
	return err
}

// ReadColumns reads the columns of a run from directories, of which some may not be there.
func ReadColumns(every bool, dirs ...string) (all []Column, err error) {
	for _, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(columnDir(dir, every), "*.json"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			var c Column
			b, err := os.ReadFile(name)
			if err == nil {
				err = json.Unmarshal(b, &c)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// whole is an error where not all cases are in the column that such a run plays.
func (c Column) whole(every bool) error {
	cases, err := Cases()
	if err != nil {
		return err
	}
	cases = slices.DeleteFunc(cases, func(k Case) bool { return !Plays(c.Kind, every, k) })
	for _, k := range cases {
		if !slices.ContainsFunc(c.Verdicts, func(v Verdict) bool { return v.Case == k.Name }) {
			return fmt.Errorf("%s: %q was not played", c.Kind, k.Name)
		}
	}
	if len(cases) != len(c.Verdicts) {
		return fmt.Errorf("%s: %d cases are %d verdicts", c.Kind, len(cases), len(c.Verdicts))
	}
	return nil
}

// Merge makes one table of the columns of a run. absent says of each kind that this computer
// cannot have why not. What is no full account is an error: a kind without a column or with two,
// one of another corpus or not whole, a case that failed, and a difference that is listed and
// that no kind had.
func Merge(columns []Column, every bool, kinds []string, absent map[string]string) (string, error) {
	digest, err := Digest()
	if err != nil {
		return "", err
	}
	known, err := readLists()
	if err != nil {
		return "", err
	}
	var wrong []error
	table, seen, has := map[string][]Verdict{}, map[string]bool{}, map[string]bool{}
	for _, c := range columns {
		again := seen[c.Kind]
		seen[c.Kind] = true
		switch {
		case again:
			wrong = append(wrong, fmt.Errorf("%s has two columns", c.Kind))
		case c.Corpus != digest:
			wrong = append(wrong, fmt.Errorf("%s is of another corpus: it was not played with this one", c.Kind))
			continue
		}
		wrong = append(wrong, c.whole(every))
		table[c.Kind] = c.Verdicts
		for _, v := range c.Verdicts {
			if v.Word == Failed {
				wrong = append(wrong, fmt.Errorf("%s: %s: %s", c.Kind, v.Case, v.Reason))
			}
			if d := known.difference(c.Kind, v.Case); d != nil && v.Word == Differs {
				has[d.Kind+" "+d.Case] = true
			}
		}
	}
	notes := ""
	for _, kind := range kinds {
		switch why := absent[kind]; {
		case seen[kind]:
		case why == "":
			wrong = append(wrong, fmt.Errorf("%s has no column", kind))
		default:
			notes += fmt.Sprintf("\n%s: absent: %s", kind, why)
		}
	}
	for _, d := range known.differences {
		played := slices.ContainsFunc(columns, func(c Column) bool { return of(c.Kind, d.Kind) })
		if every && played && !has[d.Kind+" "+d.Case] {
			wrong = append(wrong, fmt.Errorf("%s differs in %s, it is listed, and it was seen nowhere", d.Kind, d.Case))
		}
	}
	return Table(table) + notes, errors.Join(wrong...)
}
