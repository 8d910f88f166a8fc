/* QEMU includes this for what glib.h declares: it loads no modules here. */
#include <glib.h>
