#include "import/attached/records.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/attach_records.h"
#include "core/error.h"
#include "core/value.h"
#include "store/file.h"

namespace plumbline {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;  // of numbers: their differences fit

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size()) {
      const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (high && low) {
        plain += char(*high * 16 + *low);
        i += 2;
        continue;
      }
    }
    plain += text[i];
  }
  return plain;
}

/// The fields of a line, one after another.
class Fields {
 public:
  Fields(std::string_view line, std::string place) : rest_(line), place_(std::move(place)) {}

  std::string_view text(const char* what) {
    if (is_over_) fail(what, "nothing");
    const std::size_t tab = rest_.find('\t');
    const std::string_view field = rest_.substr(0, tab);
    is_over_ = tab == std::string_view::npos;
    if (!is_over_) rest_.remove_prefix(tab + 1);
    return field;
  }

  std::int64_t number(const char* what) {
    const std::string_view field = text(what);
    std::int64_t value = 0;
    if (!parse_integer(field, value) || value < 0 || value > kLargest)
      fail(what, "'" + std::string(field) + "'");
    return value;
  }

  [[noreturn]] void fail(const std::string& what, const std::string& found) const {
    throw Error(place_ + ": found " + found + ", expected " + what +
                ". The file is damaged, or no file of plumbline attach");
  }

 private:
  std::string_view rest_;
  std::string place_;
  bool is_over_ = false;
};

class ProcessReader {
 public:
  explicit ProcessReader(const std::string& path) { process_.path = path; }

  void read(std::string_view line, std::size_t number) {
    Fields fields(line, process_.path + ":" + std::to_string(number));
    const std::string_view kind = fields.text("the kind of a record");
    if (number == 1) return read_head(kind, fields);
    if (kind == attach::kKernel) return read_activity(true, fields);
    if (kind == attach::kCopy) return read_activity(false, fields);
    if (kind == attach::kName) return read_name(fields);
    if (kind == attach::kOpened) return read_opened(fields);
    if (kind == attach::kEnded) return read_ended(fields);
    if (kind == attach::kDevice) return read_device(fields);
    if (kind == attach::kLost) process_.lost += std::size_t(fields.number("a number of records"));
    if (kind == attach::kUnfinished)
      process_.unfinished += std::size_t(fields.number("a number of launches"));
    if (kind == attach::kRefused) process_.refused = unescaped(fields.text("a reason"));
    if (kind == attach::kMissing) process_.missing.push_back(unescaped(fields.text("a reason")));
    if (kind == attach::kStarted) process_.is_started = true;
    if (kind == attach::kClosed) process_.is_closed = true;
  }

  AttachedProcess take() {
    process_.open_ranges = open_.size();
    std::ranges::stable_sort(process_.activities, {}, &AttachedActivity::start_ns);
    std::ranges::stable_sort(process_.ranges, {}, &AttachedRange::start_ns);
    return std::move(process_);
  }

 private:
  void read_head(std::string_view kind, Fields& fields) {
    if (kind != attach::kHead) fields.fail(attach::kHead, "'" + std::string(kind) + "'");
    const std::string_view version = fields.text("a version");
    if (version != attach::kVersion)
      fields.fail("version " + std::string(attach::kVersion), "version " + std::string(version));
    process_.pid = fields.number("a process id");
    process_.program = unescaped(fields.text("a program"));
  }

  void read_name(Fields& fields) {
    const auto number = std::size_t(fields.number("a number"));
    if (number != process_.names.size())
      fields.fail("name " + std::to_string(process_.names.size()), std::to_string(number));
    process_.names.push_back(unescaped(fields.text("a name")));
  }

  std::size_t known_name(Fields& fields) const {
    const auto number = std::size_t(fields.number("the number of a name"));
    if (number >= process_.names.size())
      fields.fail("a name that an earlier line has", std::to_string(number));
    return number;
  }

  void read_activity(bool is_kernel, Fields& fields) {
    AttachedActivity activity;
    activity.is_kernel = is_kernel;
    activity.name = known_name(fields);
    activity.start_ns = fields.number("a start");
    activity.end_ns = fields.number("an end");
    if (activity.end_ns < activity.start_ns)
      fields.fail("an end after the start", std::to_string(activity.end_ns));
    if (is_kernel) {
      for (auto* extents : {&activity.grid, &activity.block})
        for (std::int64_t& extent : *extents) extent = fields.number("an extent");
    } else {
      activity.bytes = fields.number("a size");
    }
    activity.device = fields.number("a device");
    activity.stream = fields.number("a stream");
    if (is_kernel) {
      activity.registers = fields.number("registers");
      activity.shared_static = fields.number("static shared memory");
      activity.shared_dynamic = fields.number("dynamic shared memory");
      activity.local_bytes = fields.number("local memory");
    }
    process_.activities.push_back(activity);
  }

  void read_opened(Fields& fields) {
    const std::int64_t id = fields.number("a range");
    const std::int64_t time = fields.number("a time");
    std::string name = process_.names[known_name(fields)];
    const std::string_view domain = fields.text("a domain");
    std::size_t number = 0;
    if (parse_integer(domain, number) && number < process_.names.size())
      name = process_.names[number] + ":" + name;
    open_[id] = {std::move(name), time, time};
  }

  void read_ended(Fields& fields) {
    const auto opened = open_.find(fields.number("a range"));
    if (opened == open_.end()) return;  // it was opened before CUDA started
    opened->second.end_ns = std::max(fields.number("a time"), opened->second.start_ns);
    process_.ranges.push_back(std::move(opened->second));
    open_.erase(opened);
  }

  void read_device(Fields& fields) {
    AttachedDevice& device = process_.devices[fields.number("a device")];
    device.uuid = unescaped(fields.text("a UUID"));
    device.name = unescaped(fields.text("a name"));
    device.units = fields.number("a number of multiprocessors");
    device.memory_bytes = fields.number("a size");
    device.l2_bytes = fields.number("a size");
  }

  AttachedProcess process_;
  std::map<std::int64_t, AttachedRange> open_;
};

}  // namespace

AttachedProcess read_attached(const std::string& path) {
  const std::string text = read_text(path);
  ProcessReader reader(path);
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // torn: the program was killed
    reader.read(rest.substr(0, end), ++number);
    rest.remove_prefix(end + 1);
  }
  return reader.take();
}

std::vector<AttachedProcess> read_attached_folder(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == attach::kExtension) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  std::vector<AttachedProcess> processes;
  for (const std::string& path : paths) processes.push_back(read_attached(path));
  return processes;
}

}  // namespace plumbline
