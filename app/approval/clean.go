package approval

import (
	"piwork/vmhost"
	"piwork/vmhost/sanitize"
)

// clean is the question with nothing in its texts that could pass for another text of
// the window or the terminal.
func clean(q vmhost.Question) vmhost.Question {
	params := make(map[string]any, len(q.Text.Params))
	for k, v := range q.Text.Params {
		switch v := v.(type) {
		case string:
			params[k] = sanitize.Text(v)
		case []string:
			params[k] = each(v, sanitize.Name)
		default:
			params[k] = v
		}
	}
	if q.Text.Params != nil {
		q.Text.Params = params
	}
	if q.Items != nil {
		q.Items = each(q.Items, sanitize.Name)
	}
	for i := range q.Choices {
		if i == 0 {
			q.Choices = append([]vmhost.Choice(nil), q.Choices...)
		}
		q.Choices[i].Label = sanitize.Name(q.Choices[i].Label)
	}
	return q
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}
