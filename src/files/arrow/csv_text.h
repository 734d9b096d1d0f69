// The text of a CSV file on its way to Arrow: unpacked, in UTF-8, without what stands before the header, and checked.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "files/arrow/csv_diagnosis.h"
#include "files/table_file.h"
#include "files/text_form.h"

namespace pentimento {

// The bytes of the file, unpacked. `bytes_read` counts those of the file itself, where it is given.
arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenUnpacked(
    const TableFile& file, Compression compression, std::shared_ptr<std::atomic<std::uint64_t>> bytes_read = nullptr);

// The text, as UTF-8; where `checks_quotes`, reading stops with an error where QuoteCheck does.
arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenText(
    const TableFile& file, const CsvForm& form, bool checks_quotes,
    std::shared_ptr<std::atomic<std::uint64_t>> bytes_read = nullptr);

// Fills `bytes` with the next of the stream; fewer at its end alone.
arrow::Result<std::string> ReadUpTo(arrow::io::InputStream& stream, std::int64_t most);

}  // namespace pentimento
