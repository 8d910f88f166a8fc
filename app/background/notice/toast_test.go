package notice

import "testing"

func TestToastXML(t *testing.T) {
	got, err := toastXML(Message{Title: `a "b" $(c)`, Body: "d", Link: "piwork://open?task=1&x"})
	want := `<toast activationType="protocol" launch="piwork://open?task=1&amp;x"><visual><binding template="ToastGeneric"><text>a &#34;b&#34; $(c)</text><text>d</text></binding></visual></toast>`
	if err != nil || got != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}
