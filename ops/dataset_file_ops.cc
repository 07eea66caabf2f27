// Datasets of what files hold (ops/kernels/graph_dataset.h); each element is a string. The files are read when their turn comes,
// and a file that cannot be opened gives its error each time. Needs access to files.
//   TextLineDataset: lines, without the line feed and any carriage return.
//   FixedLengthRecordDataset: records of record_bytes, between header_bytes and footer_bytes that are passed over.
//   TFRecordDataset: records (runtime/data/record_file.h), of V2 from byte_offsets on. Behind an error comes the next file.
#include "ops/dataset_file_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/file_access.h"
#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/inputs.h"
#include "runtime/data/record_file.h"
#include "runtime/exec/background_work.h"

namespace flowlatch {
namespace {

constexpr size_t kMaxElementBytes = size_t{1} << 30;

struct Files {
  std::vector<std::string> names;
  Compression compression = Compression::kNone;
  int64_t header_bytes = 0, record_bytes = 0, footer_bytes = 0;
  std::vector<int64_t> offsets;  // empty: from the beginning
};

absl::StatusOr<std::unique_ptr<FileBytes>> OpenBytes(const std::string& path, Compression compression) {
  RETURN_IF_ERROR(CheckPath(path, "filenames"));
  ASSIGN_OR_RETURN(std::unique_ptr<FileBytes> bytes, FileBytes::Open(FileSystem::Default(), path));
  if (compression != Compression::kNone) RETURN_IF_ERROR(bytes->StartInflating(compression));
  return bytes;
}

absl::Status WithPath(const absl::Status& status, const std::string& path) {
  return absl::Status(status.code(), absl::StrCat("file '", path, "': ", status.message()));
}

// ---- Readers: Open(files, number of the file), and Next(record), false at the end

class LineReader {
 public:
  static constexpr bool kGoesOnAfterError = false;
  static absl::StatusOr<std::unique_ptr<LineReader>> Open(const Files& files, size_t number) {
    ASSIGN_OR_RETURN(std::unique_ptr<FileBytes> bytes, OpenBytes(files.names[number], files.compression));
    return std::make_unique<LineReader>(files.names[number], std::move(bytes));
  }
  LineReader(std::string path, std::unique_ptr<FileBytes> bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}

  absl::StatusOr<bool> Next(std::string* line) {
    line->clear();
    bool has_line = false;
    for (;;) {
      if (rest_.empty()) {
        buffer_.resize(kBufferBytes);
        const absl::StatusOr<size_t> got = bytes_->Read(buffer_.data(), buffer_.size());
        if (!got.ok()) return WithPath(got.status(), path_);
        if (*got == 0) return has_line;
        rest_ = std::string_view(buffer_).substr(0, *got);
      }
      has_line = true;
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      if (line->size() + end > kMaxElementBytes) {
        return absl::ResourceExhaustedError(
            absl::StrCat("file '", path_, "': expected lines of at most ", kMaxElementBytes, " bytes, got a longer one"));
      }
      std::copy_if(rest_.begin(), rest_.begin() + end, std::back_inserter(*line), [](char c) { return c != '\r'; });
      const bool ended = end < rest_.size();
      rest_.remove_prefix(ended ? end + 1 : end);
      if (ended) return true;
    }
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 16;
  const std::string path_;
  const std::unique_ptr<FileBytes> bytes_;
  std::string buffer_;
  std::string_view rest_;  // of buffer_
};

class FixedLengthReader {
 public:
  static constexpr bool kGoesOnAfterError = true;
  static absl::StatusOr<std::unique_ptr<FixedLengthReader>> Open(const Files& files, size_t number) {
    const std::string& path = files.names[number];
    ASSIGN_OR_RETURN(std::unique_ptr<FileBytes> bytes, OpenBytes(path, files.compression));
    if (files.compression == Compression::kNone) {
      const int64_t size = bytes->file_size();
      const bool has_both = files.header_bytes <= size && files.footer_bytes <= size - files.header_bytes;
      if (!has_both || (size - files.header_bytes - files.footer_bytes) % files.record_bytes != 0) {
        return absl::InvalidArgumentError(NotWhole(files, path, absl::StrCat(size, " bytes")));
      }
    }
    return std::make_unique<FixedLengthReader>(files, path, std::move(bytes));
  }
  FixedLengthReader(const Files& files, std::string path, std::unique_ptr<FileBytes> bytes)
      : files_(files), path_(std::move(path)), bytes_(std::move(bytes)) {}

  absl::StatusOr<bool> Next(std::string* record) {
    const absl::StatusOr<bool> more = Read(record);
    return more.ok() ? more : WithPath(more.status(), path_);
  }

 private:
  static std::string NotWhole(const Files& files, const std::string& path, const std::string& got) {
    return absl::StrCat("file '", path, "': expected a header of ", files.header_bytes, " bytes, records of ", files.record_bytes,
                        " and a footer of ", files.footer_bytes, ", got ", got);
  }
  absl::StatusOr<bool> Read(std::string* record) {
    const size_t footer = static_cast<size_t>(files_.footer_bytes), size = static_cast<size_t>(files_.record_bytes);
    if (size + footer > kMaxElementBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("expected a record and a footer of at most ", kMaxElementBytes, " bytes, got ", size + footer));
    }
    // What is a footer and what a record shows when no record's bytes come after it.
    if (!std::exchange(started_, true)) {
      ASSIGN_OR_RETURN(const int64_t header, bytes_->Skip(files_.header_bytes));
      ASSIGN_OR_RETURN(const size_t got, bytes_->Append(footer, &ahead_));
      if (header < files_.header_bytes || got < footer) return absl::DataLossError(NotWhole(files_, path_, "less"));
    }
    ASSIGN_OR_RETURN(const size_t got, bytes_->Append(size, &ahead_));
    if (got == 0) return false;
    if (got < size) return absl::DataLossError(NotWhole(files_, path_, absl::StrCat("a record of ", got)));
    record->assign(ahead_, 0, size);
    ahead_.erase(0, size);
    return true;
  }

  const Files& files_;
  const std::string path_;
  const std::unique_ptr<FileBytes> bytes_;
  bool started_ = false;
  std::string ahead_;  // as long as a footer
};

class TfRecordReader {
 public:
  static constexpr bool kGoesOnAfterError = true;
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(const Files& files, size_t number) {
    RETURN_IF_ERROR(CheckPath(files.names[number], "filenames"));
    RecordReader::Options options;
    options.compression = files.compression;
    if (!files.offsets.empty()) options.first_offset = files.offsets[number];
    return RecordReader::Open(FileSystem::Default(), files.names[number], options);
  }
};

// ---- The dataset

template <typename Reader>
class FilesDataset final : public GraphDataset {
 public:
  explicit FilesDataset(Files files) : GraphDataset({{DType::kString}, {PartialShape(Shape())}}), files_(std::move(files)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>&) const override {
    return IteratorPtr(std::make_unique<Iterator>(this));
  }

 private:
  class Iterator final : public IteratorOf<FilesDataset> {
   public:
    using IteratorOf<FilesDataset>::IteratorOf;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      const Files& files = this->dataset().files_;
      std::string record;
      while (number_ < files.names.size()) {
        if (reader_ == nullptr) {
          ASSIGN_OR_RETURN(reader_, Reader::Open(files, number_));
        }
        const absl::StatusOr<bool> more = reader_->Next(&record);
        if (!more.ok() && !Reader::kGoesOnAfterError) return more;
        if (more.ok() && *more) {
          *element = {Tensor::Scalar(std::string_view(record))};
          return true;
        }
        reader_ = nullptr;
        ++number_;
        RETURN_IF_ERROR(more.status());
        RETURN_IF_ERROR(CheckInterrupted(step));  // many files may have nothing
      }
      return false;
    }

   private:
    size_t number_ = 0;  // of the file
    typename decltype(Reader::Open({}, 0))::value_type reader_;
  };

  const Files files_;
};

// ---- Kernels

absl::StatusOr<Files> ReadNames(const KernelCall& c) {
  const Tensor& names = c.input(0);
  if (names.rank() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("filenames: expected a scalar or a vector, got shape ", names.ShapeString()));
  }
  RETURN_IF_ERROR(CheckFilesAllowed(c));
  Files files;
  for (const String& name : names.values<String>()) files.names.emplace_back(name.view());
  return files;
}

absl::Status ReadCompression(const KernelCall& c, int input, bool others_are_none, Compression* compression) {
  const Tensor& t = c.input(input);
  if (!t.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("compression_type: expected a scalar, got shape ", t.ShapeString()));
  }
  const std::string_view text = t.scalar<String>().view();
  *compression = text == "GZIP" ? Compression::kGzip : text == "ZLIB" ? Compression::kZlib : Compression::kNone;
  if (*compression != Compression::kNone || text.empty() || others_are_none) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("compression_type: expected '', 'GZIP' or 'ZLIB', got '", std::string(text.substr(0, 40)), "'"));
}

absl::Status ReadBytes(const KernelCall& c, int input, const char* what, int64_t least, int64_t* bytes) {
  ASSIGN_OR_RETURN(*bytes, ReadIntScalar(c.input(input), what));
  if (*bytes >= least) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a number >= ", least, ", got ", *bytes));
}

absl::Status MakeLines(KernelCall& c) {
  ASSIGN_OR_RETURN(Files files, ReadNames(c));
  RETURN_IF_ERROR(ReadCompression(c, 1, /*others_are_none=*/false, &files.compression));
  int64_t buffer_size;  // of no matter
  RETURN_IF_ERROR(ReadBytes(c, 2, "buffer_size", 0, &buffer_size));
  return OutputDataset(c, MakeRef<FilesDataset<LineReader>>(std::move(files)));
}

absl::Status MakeFixedLength(KernelCall& c) {
  ASSIGN_OR_RETURN(Files files, ReadNames(c));
  RETURN_IF_ERROR(ReadBytes(c, 1, "header_bytes", 0, &files.header_bytes));
  RETURN_IF_ERROR(ReadBytes(c, 2, "record_bytes", 1, &files.record_bytes));
  RETURN_IF_ERROR(ReadBytes(c, 3, "footer_bytes", 0, &files.footer_bytes));
  int64_t buffer_size;
  RETURN_IF_ERROR(ReadBytes(c, 4, "buffer_size", 0, &buffer_size));
  if (c.num_inputs() > 5) RETURN_IF_ERROR(ReadCompression(c, 5, /*others_are_none=*/false, &files.compression));
  return OutputDataset(c, MakeRef<FilesDataset<FixedLengthReader>>(std::move(files)));
}

absl::Status MakeRecords(KernelCall& c) {
  ASSIGN_OR_RETURN(Files files, ReadNames(c));
  RETURN_IF_ERROR(ReadCompression(c, 1, /*others_are_none=*/true, &files.compression));
  int64_t buffer_size;
  RETURN_IF_ERROR(ReadBytes(c, 2, "buffer_size", 0, &buffer_size));
  if (c.num_inputs() > 3) {
    const Tensor& offsets = c.input(3);
    if (offsets.num_elements() != static_cast<int64_t>(files.names.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("byte_offsets: expected one for each of ", files.names.size(), " files, got shape ", offsets.ShapeString()));
    }
    for (const int64_t offset : offsets.values<int64_t>()) {
      if (offset < 0) return absl::InvalidArgumentError(absl::StrCat("byte_offsets: expected numbers >= 0, got ", offset));
      files.offsets.push_back(offset);
    }
  }
  return OutputDataset(c, MakeRef<FilesDataset<TfRecordReader>>(std::move(files)));
}

absl::Status FilesShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() > 1) return c.ExpectVector(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.schema().inputs()[i].name != "byte_offsets") RETURN_IF_ERROR(c.ExpectScalar(i));
  }
  return shapes::Scalar(c);
}

}  // namespace

absl::Status RegisterDatasetFileOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = FilesShape, .kernel = kernel});
  };
  RETURN_IF_ERROR(add("TextLineDataset", "The lines of text files", PlainKernel<MakeLines>));
  RETURN_IF_ERROR(add("FixedLengthRecordDataset", "Records of one length in files", PlainKernel<MakeFixedLength>));
  RETURN_IF_ERROR(add("FixedLengthRecordDatasetV2", "Records of one length in files", PlainKernel<MakeFixedLength>));
  RETURN_IF_ERROR(add("TFRecordDataset", "The records of record files", PlainKernel<MakeRecords>));
  return add("TFRecordDatasetV2", "The records of record files, from offsets on", PlainKernel<MakeRecords>);
}

}  // namespace flowlatch
