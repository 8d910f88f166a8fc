package changes

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// drawn writes a table for tests: a line a row.
func drawn(t *Table) string {
	var b strings.Builder
	for _, r := range t.Rows {
		if r.Gap > 0 {
			fmt.Fprintf(&b, "… %d\n", r.Gap)
		}
		fmt.Fprintf(&b, "%d>%d %s:", r.Before, r.After, r.Op)
		for _, c := range r.Cells {
			switch c.Op {
			case Changed:
				fmt.Fprintf(&b, " [%s→%s]", c.Was, c.Text)
			case Added:
				fmt.Fprintf(&b, " +%s", c.Text)
			case Removed:
				fmt.Fprintf(&b, " -%s", c.Text)
			case Same:
				fmt.Fprintf(&b, " %s", c.Text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestTable(t *testing.T) {
	tests := []struct {
		name, file, before, after, want string
	}{
		{"a cell", "a.csv", "id,name,sum\n1,Anna,10\n2,Ben,20\n", "id,name,sum\n1,Anna,10\n2,Ben,25\n",
			"1>1 same: id name sum\n2>2 same: 1 Anna 10\n3>3 changed: 2 Ben [20→25]\n"},
		{"a row more, one less", "a.csv", "id;name\n1;Anna\n2;Ben\n3;Cleo\n", "id;name\n1;Anna\n3;Cleo\n4;Dora\n",
			"1>1 same: id name\n2>2 same: 1 Anna\n3>0 removed: -2 -Ben\n4>3 same: 3 Cleo\n0>4 added: +4 +Dora\n"},
		{"a column more", "a.csv", "id,sum\n1,10\n2,20\n", "id,name,sum\n1,Anna,10\n2,Ben,20\n",
			"1>1 changed: id +name sum\n2>2 changed: 1 +Anna 10\n3>3 changed: 2 +Ben 20\n"},
		{"tabs and quotes", "a.tsv", "a\tb\n\"x, y\"\t1\n", "a\tb\n\"x, z\"\t1\n", "1>1 same: a b\n2>2 changed: [x, y→x, z] 1\n"},
		{"made", "a.csv", "", "a,b\n1,2\n", "0>1 added: +a +b\n0>2 added: +1 +2\n"},
		{"rows of other lengths", "a.csv", "a,b\n1\n", "a,b\n1,2,3\n", "1>1 same: a b \n2>2 changed: 1 +2 +3\n"},
		{"found by its first cell", "a.csv", "k,v,w\na,1,1\nb,2,2\nc,3,3\n", "k,v,w\nb,9,9\na,1,1\nc,3,3\n",
			"1>1 same: k v w\n0>2 added: +b +9 +9\n2>3 same: a 1 1\n3>0 removed: -b -2 -2\n4>4 same: c 3 3\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := []byte(tt.before)
			if tt.before == "" {
				before = nil
			}
			c := compare(t, tt.file, before, []byte(tt.after), Limits{})
			if c.Kind != KindTable || c.Text == nil {
				t.Fatalf("kind %s", c.Kind)
			}
			if got := drawn(c.Table); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestTableGaps(t *testing.T) {
	row := func(change int) func(i int) string {
		return func(i int) string {
			if i == 1 {
				return "id,sum"
			}
			if i == change {
				return fmt.Sprint(i, ",X")
			}
			return fmt.Sprint(i, ",", i*10)
		}
	}
	c := compare(t, "a.csv", numbered(1, 100, row(0)), numbered(1, 100, row(50)), Limits{})
	want := "1>1 same: id sum\n… 45\n47>47 same: 47 470\n48>48 same: 48 480\n49>49 same: 49 490\n" +
		"50>50 changed: 50 [500→X]\n51>51 same: 51 510\n52>52 same: 52 520\n53>53 same: 53 530\n"
	if got := drawn(c.Table); got != want {
		t.Errorf("got\n%s", got)
	}
	if c.Table.Changed != 1 || c.Table.Added+c.Table.Removed != 0 {
		t.Errorf("%+v", c.Table)
	}
}

func TestNoTable(t *testing.T) {
	for name, file := range map[string]string{"one column": "a.csv", "another name": "a.txt"} {
		after := "x,y\n1,2\n"
		if name == "one column" {
			after = "just words\nin lines\n"
		}
		if c := compare(t, file, []byte("a\nb\n"), []byte(after), Limits{}); c.Kind != KindText || c.Table != nil {
			t.Errorf("%s is %s", name, c.Kind)
		}
	}
	wide := strings.Repeat("x,", 5000) + "\n"
	c := compare(t, "a.csv", nil, []byte(strings.Repeat(wide, 3)), Limits{})
	if c.Kind != KindTable || !c.Table.Cut || c.Table.Columns > maxColumns {
		t.Errorf("a wide one is %s with %d columns", c.Kind, c.Table.Columns)
	}
}

// That a long cell is not whole is seen in it, and one that changed is shown where it does.
func TestLongCells(t *testing.T) {
	long := strings.Repeat("ä", 3000)
	e := strings.Repeat("ä", 98) + "…" // as a cell begins of which there are a hundred runes
	lead := "…" + strings.Repeat("ä", 24)
	for name, tt := range map[string]struct{ before, after, want string }{
		"the same":            {"k,v\n1,2\n" + long + ",1\n", "k,v\n1,2\n" + long + ",2\n", "1>1 same: k v\n2>2 same: 1 2\n3>3 changed: " + e + " [1→2]\n"},
		"made":                {"", "k,v\n" + long + ",1\n", "0>1 added: +k +v\n0>2 added: +" + e + " +1\n"},
		"changed in front":    {"k,v\n1,a" + long + "\n", "k,v\n1,b" + long + "\n", "1>1 same: k v\n2>2 changed: 1 [a" + e[2:] + "→b" + e[2:] + "]\n"},
		"changed far behind":  {"k,v\n1," + long + "a\n", "k,v\n1," + long + "b\n", "1>1 same: k v\n2>2 changed: 1 [" + lead + "a→" + lead + "b]\n"},
		"changed in between":  {"k,v\n1," + long + "a" + long + "\n", "k,v\n1," + long + "b" + long + "\n", "1>1 same: k v\n2>2 changed: 1 [" + lead + "a" + e[25*2:] + "→" + lead + "b" + e[25*2:] + "]\n"},
		"continued":           {"k,v\n1," + long + "\n", "k,v\n1," + long + "b\n", "1>1 same: k v\n2>2 changed: 1 [" + lead + "→" + lead + "b]\n"},
		"whole, as it can be": {"k,v\n1," + long[:200] + "\n", "k,v\n1,2\n", "1>1 same: k v\n2>2 changed: 1 [" + long[:200] + "→2]\n"},
	} {
		var before []byte
		if tt.before != "" {
			before = []byte(tt.before)
		}
		c := compare(t, "a.csv", before, []byte(tt.after), Limits{Length: 100})
		if got := drawn(c.Table); got != tt.want {
			t.Errorf("%s: got\n%swant\n%s", name, got, tt.want)
		}
		for _, r := range c.Table.Rows {
			for _, cell := range r.Cells {
				if n := max(utf8.RuneCountInString(cell.Text), utf8.RuneCountInString(cell.Was)); n > 100 {
					t.Errorf("%s: a cell of %d", name, n)
				}
			}
		}
	}
}
