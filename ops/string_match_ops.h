// StringToHashBucketFast, StringToHashBucketStrong, StringToHashBucket, StaticRegexFullMatch, RegexFullMatch,
// StaticRegexReplace, RegexReplace.
#ifndef FLOWLATCH_OPS_STRING_MATCH_OPS_H_
#define FLOWLATCH_OPS_STRING_MATCH_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterStringMatchOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_STRING_MATCH_OPS_H_
