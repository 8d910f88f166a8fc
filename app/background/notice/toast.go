package notice

import "encoding/xml"

// toastXML is a message as Windows takes it
// (https://learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/toast-schema).
func toastXML(m Message) (string, error) {
	type text struct {
		XMLName xml.Name `xml:"text"`
		Text    string   `xml:",chardata"`
	}
	type binding struct {
		Template string `xml:"template,attr"`
		Texts    []text
	}
	data, err := xml.Marshal(struct {
		XMLName    xml.Name `xml:"toast"`
		Activation string   `xml:"activationType,attr"`
		Launch     string   `xml:"launch,attr"`
		Binding    binding  `xml:"visual>binding"`
	}{Activation: "protocol", Launch: m.Link, Binding: binding{"ToastGeneric", []text{{Text: Plain(m.Title)}, {Text: Plain(m.Body)}}}})
	return string(data), err
}
