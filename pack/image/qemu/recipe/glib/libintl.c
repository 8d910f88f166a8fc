#include "libintl.h"

char *gettext(const char *msgid) { return (char *)msgid; }
char *dgettext(const char *domain, const char *msgid) { return (char *)msgid; }
char *dcgettext(const char *domain, const char *msgid, int category) { return (char *)msgid; }
char *ngettext(const char *one, const char *many, unsigned long n) { return (char *)(n == 1 ? one : many); }
char *dngettext(const char *domain, const char *one, const char *many, unsigned long n) { return ngettext(one, many, n); }
char *textdomain(const char *domain) { return (char *)(domain ? domain : "messages"); }
char *bindtextdomain(const char *domain, const char *directory) { return (char *)directory; }
char *bind_textdomain_codeset(const char *domain, const char *codeset) { return (char *)codeset; }
