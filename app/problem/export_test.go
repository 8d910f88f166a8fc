package problem

import (
	"piwork/pack"
	"piwork/vmhost"
)

func KnownPackKind(k string) bool { _, ok := packKinds[pack.Kind(k)]; return ok }

func KnownReason(r string) bool { _, ok := reasonCodes[vmhost.Reason(r)]; return ok }

func KnownActionCode(c string) bool { _, ok := actionCodes[vmhost.ActionCode(c)]; return ok }
