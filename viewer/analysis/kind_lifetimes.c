/*
 * Lives of allocations; see kind_lives.h.
 */
#include "viewer/analysis/kind_lifetimes.h"

static enum mt_life outside(const struct mt_phase_point *born, const struct mt_phase_point *end, bool alive,
                            bool same_line) {
    bool result = born->position == MT_AFTER_FORWARD;
    if (born->position == MT_BEFORE_FORWARD && end->forwards != born->forwards) {
        // What is made for a step may be there until the next one's has been made.
        bool kept = alive || end->backwards != born->backwards || end->step > born->step + 1;
        return kept ? MT_LIFE_BEFORE_LONG : MT_LIFE_BEFORE_STEP;
    }
    if (same_line && !alive && end->instance == born->instance) return result ? MT_LIFE_RESULT_LINE : MT_LIFE_LINE;
    return result ? MT_LIFE_RESULT : MT_LIFE_ELSEWHERE;
}

static enum mt_life in_forward(const struct mt_phase_point *born, const struct mt_phase_point *end, bool same_instance,
                               bool same_line) {
    if (same_instance) return same_line ? MT_LIFE_FORWARD_LINE : MT_LIFE_FORWARD_SHORT;
    return end->step > born->step + 1 ? MT_LIFE_FORWARD_LONG : MT_LIFE_FORWARD_KEPT;
}

enum mt_life mt_life_of(const struct mt_phase_point *born, const struct mt_phase_point *end, bool alive,
                        bool same_line) {
    bool same_instance = !alive && end->instance == born->instance;
    switch (born->phase) {
    case MT_PHASE_SETUP:
        if (alive || end->forwards != born->forwards) return MT_LIFE_MODEL;
        return end->phase == MT_PHASE_SETUP ? MT_LIFE_MODEL_SHORT : MT_LIFE_MODEL_UNUSED;
    case MT_PHASE_INPUT:
        return MT_LIFE_LOADED;
    case MT_PHASE_FORWARD:
        return in_forward(born, end, same_instance, same_line);
    case MT_PHASE_BACKWARD:
        return same_instance ? MT_LIFE_BACKWARD_SHORT : MT_LIFE_BACKWARD_KEPT;
    case MT_PHASE_OPTIMIZER:
        return same_instance ? MT_LIFE_OPTIMIZER_SHORT : MT_LIFE_OPTIMIZER_KEPT;
    case MT_PHASE_OTHER:
        break;
    }
    return outside(born, end, alive, same_line);
}
