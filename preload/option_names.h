/*
 * Misspelt variables: MEMTRACE_STACK=off would be as if it were not there.
 */
#ifndef MEMTRACE_PRELOAD_OPTION_NAMES_H
#define MEMTRACE_PRELOAD_OPTION_NAMES_H

// Warns of each variable that begins with MEMTRACE and is none of ours, and names the one that was probably meant.
void mt_option_names_check(void);

#endif
