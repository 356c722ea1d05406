#include "checker/report/race_words.h"

namespace warpcc::checker {

using order::AgentKind;
using order::Use;
using order::Why;

const char* does(const order::Entry& entry) {
  const bool reads = entry.use == Use::read || entry.use == Use::strong_read;
  switch (entry.epoch.agent.kind()) {
    case AgentKind::arriving:
      return reads ? "the copy engine reads for" : "the copy engine fills by";
    case AgentKind::queue:
      return reads ? "the tensor core reads for" : "the tensor core writes by";
    case AgentKind::store_read:
      return "the copy engine reads for";
    case AgentKind::store_write:
      return entry.use == Use::add ? "the copy engine adds to by" : "the copy engine writes by";
    case AgentKind::copying:
      return reads ? "a copy by lanes reads for" : "a copy by lanes fills by";
    default:
      return reads ? "is read by" : entry.use == Use::add ? "is added to by" : "is written by";
  }
}

const char* apart(Why why) {
  switch (why) {
    case Why::lanes:
      return "by lanes of one warp that have not met";
    case Why::scope:
      return "told of within a CTA alone, and reached from another";
    case Why::acquire:
      return "told of to other CTAs, but waited for within the CTA alone";
    case Why::overlap:
      return "accumulators that overlap and are not the same";
    default:
      return "nothing orders them";
  }
}

}  // namespace warpcc::checker
