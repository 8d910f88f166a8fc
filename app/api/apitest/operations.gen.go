// Code generated from the table of operations (go generate ./app/api). DO NOT EDIT.

package apitest

import ()
