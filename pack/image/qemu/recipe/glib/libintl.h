/* Messages stay as they are: the pack has no translations. */
#ifndef PIWORK_LIBINTL_H
#define PIWORK_LIBINTL_H
#ifdef __cplusplus
extern "C" {
#endif
char *gettext(const char *msgid);
char *dgettext(const char *domain, const char *msgid);
char *dcgettext(const char *domain, const char *msgid, int category);
char *ngettext(const char *one, const char *many, unsigned long n);
char *dngettext(const char *domain, const char *one, const char *many, unsigned long n);
char *textdomain(const char *domain);
char *bindtextdomain(const char *domain, const char *directory);
char *bind_textdomain_codeset(const char *domain, const char *codeset);
#ifdef __cplusplus
}
#endif
#endif
