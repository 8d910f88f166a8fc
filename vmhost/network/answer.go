package network

import (
	"errors"
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"

	"piwork/vmhost/network/policy"
)

// answerTTL is what answers say, in seconds. A name keeps its address far longer.
const answerTTL = 60

const maxQuery = 1232 // bytes; longer ones are not queries of one name

// errNoQuery says that a message is nothing that is answered.
var errNoQuery = errors.New("no query")

// query is one question of the guest.
type query struct {
	header dnsmessage.Header
	q      dnsmessage.Question
	name   string           // "" for what is no host name
	code   dnsmessage.RCode // what is answered without a look at the name
	found  bool             // code is not set: the name decides
}

// parseQuery reads a message of the guest. Everything is answered that has a
// header and claims to be a query; what is no query of one name in the class IN,
// with an error.
func parseQuery(msg []byte) (query, error) {
	var p dnsmessage.Parser
	if len(msg) > maxQuery {
		return query{}, errNoQuery
	}
	h, err := p.Start(msg)
	if err != nil || h.Response {
		return query{}, errNoQuery
	}
	q := query{header: h}
	if h.OpCode != 0 {
		q.code = dnsmessage.RCodeNotImplemented
		return q, nil
	}
	questions, err := p.AllQuestions()
	if err != nil || len(questions) != 1 {
		q.code = dnsmessage.RCodeFormatError
		return q, nil
	}
	q.q = questions[0]
	if q.q.Class != dnsmessage.ClassINET {
		q.code = dnsmessage.RCodeRefused
		return q, nil
	}
	name, err := policy.Name(q.q.Name.String())
	if err != nil {
		q.code = dnsmessage.RCodeNameError
		return q, nil
	}
	q.name, q.found = name, true
	return q, nil
}

// answer is the message that answers q: with addr for a question of type A, with
// nothing for every other type. No upstream answer is ever copied into it.
func (q query) answer(code dnsmessage.RCode, addr netip.Addr) ([]byte, error) {
	b := dnsmessage.NewBuilder(make([]byte, 0, 512), dnsmessage.Header{
		ID: q.header.ID, Response: true, OpCode: q.header.OpCode,
		RecursionDesired: q.header.RecursionDesired, RecursionAvailable: true, RCode: code,
	})
	b.EnableCompression()
	if q.q.Name.Length == 0 {
		return b.Finish()
	}
	if err := b.StartQuestions(); err != nil {
		return nil, err
	}
	if err := b.Question(q.q); err != nil {
		return nil, err
	}
	if code == dnsmessage.RCodeSuccess && q.q.Type == dnsmessage.TypeA && addr.Is4() {
		if err := b.StartAnswers(); err != nil {
			return nil, err
		}
		h := dnsmessage.ResourceHeader{Name: q.q.Name, Class: dnsmessage.ClassINET, TTL: answerTTL}
		if err := b.AResource(h, dnsmessage.AResource{A: addr.As4()}); err != nil {
			return nil, err
		}
	}
	return b.Finish()
}
