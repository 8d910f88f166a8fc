package recorder

import "piwork/vmhost/share/internal/spans"

// Room returns the parts of a file that writing the content into it needs room for.
func (s *Stored) Room() (spans.Set, error) {
	if s.parts == nil {
		return spans.Set{{End: s.size}}, nil
	}
	p, err := s.Parts()
	if err != nil {
		return nil, err
	}
	return p.Written(), nil
}
