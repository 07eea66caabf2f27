// Numbers and strings from the bytes of strings.
//   DecodeRaw: bytes [d..], all of one length -> [d.., length / size of an element].
//   DecodePaddedRaw(input_bytes [d..], fixed_length) -> [d.., fixed_length / size]: strings are cut or filled with zeros.
//   DecodeCompressed: strings from ZLIB or GZIP (of any number of parts), or as they are. A string that ends too early gives
//     what there was.
// little_endian says in which order the bytes of an element are; the parts of a complex number are elements of their own.
#include "ops/decode_ops.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

// ---- DecodeRaw, DecodePaddedRaw

class RawState : public KernelState {
 public:
  DType dtype = DType::kInvalid;
  bool swap = false;  // whether the order of bytes is not the machine's
};

// Copies `size` bytes of elements to `to`, where zeros follow to `total`.
void CopyRaw(const RawState& state, std::string_view bytes, int64_t total, char* to) {
  const int64_t size = std::min(total, static_cast<int64_t>(bytes.size()));
  if (size > 0) std::memcpy(to, bytes.data(), size);
  std::fill(to + size, to + total, 0);
  const int64_t unit = static_cast<int64_t>(DTypeSize(state.dtype)) / (IsComplex(state.dtype) ? 2 : 1);
  if (state.swap && unit > 1) {
    for (int64_t i = 0; i < total; i += unit) std::reverse(to + i, to + i + unit);
  }
  if (state.dtype == DType::kBool) std::transform(to, to + total, to, [](char c) { return c != 0; });
}

// Output 0 from strings of `length` bytes each.
absl::Status SetRaw(KernelCall& c, int64_t length) {
  const RawState& state = c.state<RawState>();
  const Tensor& input = c.input(0);
  Dims dims(input.dims().begin(), input.dims().end());
  dims.push_back(length / static_cast<int64_t>(DTypeSize(state.dtype)));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, state.dtype, dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  char* to = static_cast<char*>(output->raw_mutable_data());
  for (int64_t i = 0; i < input.num_elements(); ++i) CopyRaw(state, input.data<String>()[i], length, to + i * length);
  return absl::OkStatus();
}

absl::Status DecodeRaw(KernelCall& c) {
  const RawState& state = c.state<RawState>();
  const absl::Span<const String> strings = c.input(0).values<String>();
  const size_t length = strings.empty() ? 0 : strings[0].size();
  for (size_t i = 0; i < strings.size(); ++i) {
    if (strings[i].size() == length) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("bytes: expected strings of one length, got ", length, " and at ", i, " ", strings[i].size()));
  }
  if (length % DTypeSize(state.dtype) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("bytes: expected a multiple of ", DTypeSize(state.dtype), " bytes for ",
                                                   std::string(DTypeName(state.dtype)), ", got ", length));
  }
  return SetRaw(c, static_cast<int64_t>(length));
}

absl::Status CheckLength(int64_t length, DType dtype) {
  const int64_t size = static_cast<int64_t>(DTypeSize(dtype));
  if (length > 0 && length % size == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("fixed_length: expected a positive multiple of ", size, " bytes, got ", length));
}

absl::Status DecodePaddedRaw(KernelCall& c) {
  ASSIGN_OR_RETURN(const int64_t length, ReadIntScalar(c.input(1), "fixed_length"));
  RETURN_IF_ERROR(CheckLength(length, c.state<RawState>().dtype));
  return SetRaw(c, length);
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> RawKernel(const NodeInfo& node) {
  auto state = std::make_shared<RawState>();
  state->dtype = node.output_dtype(0);
  ASSIGN_OR_RETURN(const bool little, node.Bool("little_endian"));
  state->swap = little != (std::endian::native == std::endian::little);
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::Status SetRawShape(ShapeContext& c, int64_t elements) {
  if (!c.input(0).has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(PartialShape output, c.input(0).Concatenate(PartialShape::Of({elements})));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

absl::Status DecodeRawShape(ShapeContext& c) { return SetRawShape(c, -1); }

absl::Status DecodePaddedRawShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  ASSIGN_OR_RETURN(const std::optional<int64_t> length, c.ConstantInt(1));
  if (!length.has_value()) return SetRawShape(c, -1);
  ASSIGN_OR_RETURN(const DType dtype, c.AttrAs<DType>("out_type"));
  RETURN_IF_ERROR(CheckLength(*length, dtype));
  return SetRawShape(c, *length / static_cast<int64_t>(DTypeSize(dtype)));
}

// ---- DecodeCompressed

constexpr size_t kMostBytes = size_t{1} << 30;  // of one string, since a few bytes can stand for any number

class Inflater {
 public:
  explicit Inflater(int window_bits) { ready_ = inflateInit2(&stream_, window_bits) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  absl::StatusOr<std::string> Run(std::string_view bytes, bool many_parts) {
    if (!ready_) return absl::ResourceExhaustedError("memory to decompress with: expected some, got none");
    std::string out;
    char block[1 << 14];
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    for (;;) {
      stream_.next_out = reinterpret_cast<Bytef*>(block);
      stream_.avail_out = sizeof block;
      const int result = inflate(&stream_, Z_SYNC_FLUSH);
      out.append(block, sizeof block - stream_.avail_out);
      if (out.size() > kMostBytes) {
        return absl::ResourceExhaustedError(absl::StrCat("decompressed string: expected at most ", kMostBytes, " bytes, got more"));
      }
      if (result == Z_BUF_ERROR) return out;  // it ends here, maybe too early
      if (result == Z_STREAM_END) {
        if (!many_parts || stream_.avail_in == 0 || inflateReset(&stream_) != Z_OK) return out;
      } else if (result != Z_OK) {
        return absl::DataLossError(absl::StrCat("bytes: expected compressed data, got ",
                                                stream_.msg != nullptr ? stream_.msg : "something else"));
      }
    }
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

class CompressedState : public KernelState {
 public:
  explicit CompressedState(bool gzip) : gzip(gzip) {}
  const bool gzip;
};

absl::Status DecodeCompressed(KernelCall& c) {
  const bool gzip = c.state<CompressedState>().gzip;
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  for (size_t i = 0; i < strings.size(); ++i) {
    if (strings[i].size() > kMostBytes) {
      return absl::InvalidArgumentError(absl::StrCat("bytes: expected at most ", kMostBytes, ", got ", strings[i].size()));
    }
    Inflater inflater(gzip ? MAX_WBITS + 16 : MAX_WBITS);
    ASSIGN_OR_RETURN(const std::string text, inflater.Run(strings[i], gzip));
    output->mutable_data<String>()[i] = std::string_view(text);
  }
  return absl::OkStatus();
}

absl::Status PassOn(KernelCall& c) {
  c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> DecompressKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string type, node.Str("compression_type"));
  if (type.empty()) return Kernel{.fn = &RunKernel<PassOn>};
  if (type != "ZLIB" && type != "GZIP") {
    return absl::InvalidArgumentError(absl::StrCat("compression_type: expected ZLIB, GZIP or nothing, got '", type, "'"));
  }
  return Kernel{.fn = &RunKernel<DecodeCompressed>, .state = std::make_shared<CompressedState>(type == "GZIP")};
}

}  // namespace

absl::Status RegisterDecodeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DecodeRaw"),
                               .doc = "Bytes of strings as numbers",
                               .shape = DecodeRawShape,
                               .kernel = RawKernel<DecodeRaw>,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DecodePaddedRaw"),
                               .doc = "Bytes of strings, cut or filled to one length, as numbers",
                               .shape = DecodePaddedRawShape,
                               .kernel = RawKernel<DecodePaddedRaw>,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("DecodeCompressed"),
                      .doc = "Decompressed strings",
                      .shape = shapes::SameAsInput,
                      .kernel = DecompressKernel,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
