/*
 * Choosing the feed, see feed.h.
 */
#include "preload/feed.h"

#include "preload/cupti_feed.h"
#include "preload/facts.h"
#include "preload/message.h"
#include "preload/session.h"

void mt_feed_start(enum mt_feed wanted) {
    char why[512] = "";
    (void)wanted;
    if (mt_cupti_feed_start(why, sizeof why) == 0) {
        mt_define_fact(mt_session_trace(), MT_FACT_FEED, "cupti");
        return;
    }
    mt_define_fact(mt_session_trace(), MT_FACT_FEED, "none");
    mt_define_fact(mt_session_trace(), MT_FACT_FEED_REASON, why);
    mt_message("nothing is traced: %.400s", why);
}
