/// The library that `plumbline attach` puts into a program (CUDA_INJECTION64_PATH, and
/// NVTX_INJECTION64_PATH for ranges): records launches, copies and NVTX ranges into a file.
///
/// The driver calls InitializeInjection when CUDA starts in a process. From then on CUPTI delivers
/// buffers of records. A thread asks for them every 50 ms, so that a program that is killed, or
/// leaves with _exit, loses only its last ones. It judges nothing, and throws nothing.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "attach/cupti.h"
#include "attach/devices.h"
#include "attach/record_file.h"
#include "core/attach_records.h"

namespace plumbline::attach {
namespace {

/// A buffer is delivered when all of its launches have ended, so small ones lose less. Large ones
/// stalled launches while CUPTI delivered them.
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kFlushPeriod{50};

/// The records of this process. Never destroyed: CUPTI's threads may outlive exit handlers.
struct Session {
  Cupti cupti;
  std::mutex mutex;  // of the file; CUPTI delivers buffers on its own threads and on ours
  RecordFile file;
  Lines lines;
  bool has_devices = false, has_launches = false;  // among the records so far
  std::mutex stop_mutex;
  std::condition_variable stop_asked;
  bool is_stopped = false;
  std::thread flusher;
};

std::atomic<Session*> the_session = nullptr;

const char* copy_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return "memcpy HtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return "memcpy DtoH";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return "memcpy DtoD";
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return "memcpy PtoP";
    default:
      return "memcpy";
  }
}

/// Turns the records of a buffer into lines. All versions of CUPTI's structs begin alike, up to
/// what is read here.
class Reader {
 public:
  explicit Reader(Session& session) : file_(session.file), lines_(session.lines) {}

  void read(const CUpti_Activity& record) {
    switch (record.kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return read(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
        return read_copy(copy_name(copy.copyKind), copy);
      }
      case CUPTI_ACTIVITY_KIND_MEMSET:
        return read_copy("memset", reinterpret_cast<const CUpti_ActivityMemset4&>(record));
      case CUPTI_ACTIVITY_KIND_MARKER:
        return read(reinterpret_cast<const CUpti_ActivityMarker2&>(record));
      case CUPTI_ACTIVITY_KIND_DEVICE:
        return read(reinterpret_cast<const CUpti_ActivityDevice5&>(record));
      default:
        return;
    }
  }

  std::int64_t unfinished() const { return unfinished_; }
  bool has_devices() const { return has_devices_; }
  bool has_launches() const { return has_launches_; }

 private:
  void read(const CUpti_ActivityKernel10& kernel) {
    if (kernel.end == 0 || kernel.name == nullptr) {
      ++unfinished_;
      return;
    }
    has_launches_ = true;
    const std::int64_t name = file_.number_of(kernel.name, lines_);
    lines_.begin(kKernel).field(name).field(std::int64_t(kernel.start));
    lines_.field(std::int64_t(kernel.end));
    for (const std::int32_t size :
         {kernel.gridX, kernel.gridY, kernel.gridZ, kernel.blockX, kernel.blockY, kernel.blockZ})
      lines_.field(std::int64_t(size));
    lines_.field(std::int64_t(kernel.deviceId)).field(std::int64_t(kernel.streamId));
    lines_.field(std::int64_t(kernel.registersPerThread));
    lines_.field(std::int64_t(kernel.staticSharedMemory));
    lines_.field(std::int64_t(kernel.dynamicSharedMemory));
    lines_.field(std::int64_t(kernel.localMemoryPerThread)).end();
  }

  template <class Copy>
  void read_copy(const char* kind, const Copy& copy) {
    if (copy.end == 0) {
      ++unfinished_;
      return;
    }
    const std::int64_t name = file_.number_of(kind, lines_);
    lines_.begin(kCopy).field(name).field(std::int64_t(copy.start)).field(std::int64_t(copy.end));
    lines_.field(std::int64_t(copy.bytes)).field(std::int64_t(copy.deviceId));
    lines_.field(std::int64_t(copy.streamId)).end();
  }

  void read(const CUpti_ActivityMarker2& marker) {
    if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0 && marker.name != nullptr) {
      const std::int64_t name = file_.number_of(marker.name, lines_);
      const bool has_domain = marker.domain != nullptr && *marker.domain != '\0';
      const std::int64_t domain = has_domain ? file_.number_of(marker.domain, lines_) : 0;
      lines_.begin(kOpened).field(std::int64_t(marker.id)).field(std::int64_t(marker.timestamp));
      lines_.field(name);
      (has_domain ? lines_.field(domain) : lines_.field("-")).end();
    } else if ((marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0) {
      lines_.begin(kEnded).field(std::int64_t(marker.id));
      lines_.field(std::int64_t(marker.timestamp)).end();
    }
  }

  void read(const CUpti_ActivityDevice5& device) {
    describe_device(lines_, int(device.id), device.uuid.bytes, device.name,
                    int(device.numMultiprocessors), (long long)device.globalMemorySize,
                    int(device.l2CacheSize));
    has_devices_ = true;
  }

  RecordFile& file_;
  Lines& lines_;
  std::int64_t unfinished_ = 0;
  bool has_devices_ = false, has_launches_ = false;
};

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  Session* const session = the_session;
  if (session != nullptr && buffer != nullptr) {
    const std::lock_guard lock(session->mutex);
    Reader reader(*session);
    CUpti_Activity* record = nullptr;
    while (valid_bytes > 0 &&
           session->cupti.next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
      reader.read(*record);
    session->has_devices |= reader.has_devices();
    session->has_launches |= reader.has_launches();
    std::size_t dropped = 0;
    session->cupti.dropped(context, stream, &dropped);
    if (dropped > 0) session->lines.begin(kLost).field(std::int64_t(dropped)).end();
    if (reader.unfinished() > 0) session->lines.begin(kUnfinished).field(reader.unfinished()).end();
    session->file.write(session->lines);
  }
  std::free(buffer);
}

void CUPTIAPI ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void write_line(Session& session, const char* kind, std::string_view text) {
  const std::lock_guard lock(session.mutex);
  session.lines.begin(kind).field(text).end();
  session.file.write(session.lines);
}

void write_line(Session& session, const char* kind, std::int64_t number) {
  const std::lock_guard lock(session.mutex);
  session.lines.begin(kind).field(number).end();
  session.file.write(session.lines);
}

std::int64_t now(const Session& session) {
  std::uint64_t time = 0;
  session.cupti.timestamp(&time);
  return std::int64_t(time);
}

/// Once, if there are launches and CUPTI has not said on which devices they may be.
void describe_missing_devices(Session& session) {
  {
    const std::lock_guard lock(session.mutex);
    if (session.has_devices || !session.has_launches) return;
    session.has_devices = true;
  }
  Lines lines;  // without the lock: the driver may wait for a thread that CUPTI calls
  describe_devices(lines);
  const std::lock_guard lock(session.mutex);
  session.file.write(lines);
}

void flush_until_stopped(Session* session) {
  std::unique_lock lock(session->stop_mutex);
  while (!session->stop_asked.wait_for(lock, kFlushPeriod, [&] { return session->is_stopped; })) {
    lock.unlock();
    session->cupti.flush(0);
    describe_missing_devices(*session);
    lock.lock();
  }
}

/// Runs before CUDA's own exit handlers, which are older.
void finish() {
  Session* const session = the_session;
  if (session == nullptr) return;
  {
    const std::lock_guard lock(session->stop_mutex);
    if (session->is_stopped) return;
    session->is_stopped = true;
  }
  session->stop_asked.notify_all();
  if (session->flusher.joinable()) session->flusher.join();
  session->cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  describe_missing_devices(*session);
  write_line(*session, kClosed, now(*session));
}

/// A forked child has neither our thread nor a CUDA that works. If CUDA starts in it first, it gets
/// a file of its own.
void forget_in_child() {
  Session* const session = the_session.exchange(nullptr);
  if (session != nullptr) session->file.close();
}

std::string program_name() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, std::size_t(size)) : "";
}

void write_head(Session& session) {
  const std::lock_guard lock(session.mutex);
  session.lines.begin(kHead).field(kVersion).field(std::int64_t(getpid()));
  session.lines.field(program_name()).end();
  session.file.write(session.lines);
}

std::string words_of_subscribing(const Cupti& cupti, CUptiResult code) {
  const std::string said = cupti.words("cuptiSubscribe", code);
  if (code != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
      code != CUPTI_ERROR_MAX_LIMIT_REACHED)
    return said;
  return said +
         "; another tool records in this process already: a profiler (nsys, ncu, "
         "torch.profiler, Proton) or a checker";
}

/// "", or why nothing is recorded.
std::string start(Session& session) {
  Cupti& cupti = session.cupti;
  if (const std::string mistake = cupti.load(); !mistake.empty()) return mistake;
  std::uint32_t version = 0;
  cupti.version(&version);
  write_line(session, kCupti, std::int64_t(version));
  // CUPTI has one subscriber. We are it although nothing is asked for, so that the program's own
  // profiler is refused with a message, instead of taking our buffers.
  CUpti_SubscriberHandle subscriber = nullptr;
  if (const CUptiResult code = cupti.subscribe(&subscriber, ignore, nullptr); code != CUPTI_SUCCESS)
    return words_of_subscribing(cupti, code);
  if (const CUptiResult code = cupti.register_callbacks(give_buffer, take_buffer);
      code != CUPTI_SUCCESS)
    return cupti.words("cuptiActivityRegisterCallbacks", code);
  if (const CUptiResult code = cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      code != CUPTI_SUCCESS)
    return cupti.words("cuptiActivityEnable(CONCURRENT_KERNEL)", code);
  static constexpr struct {
    CUpti_ActivityKind kind;
    const char* what;
  } kMore[] = {{CUPTI_ACTIVITY_KIND_DEVICE, "devices"},
               {CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
               {CUPTI_ACTIVITY_KIND_MEMSET, "memsets"},
               {CUPTI_ACTIVITY_KIND_MARKER, "NVTX ranges"}};
  for (const auto& [kind, what] : kMore)
    if (const CUptiResult code = cupti.enable(kind); code != CUPTI_SUCCESS)
      write_line(session, kMissing,
                 std::string(what) + ": " + cupti.words("cuptiActivityEnable", code));
  write_line(session, kStarted, now(session));
  return "";
}

void start_flushing(Session& session) {
  sigset_t all, before;  // signals are for the program's threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  session.flusher = std::thread(flush_until_stopped, &session);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void attach_here() {
  const char* const folder = std::getenv(kFolderVariable);
  if (folder == nullptr || *folder == '\0' || the_session.load() != nullptr) return;
  auto* const session = new Session;
  if (!session->file.open(folder)) {
    std::fprintf(stderr, "plumbline attach: cannot write into %s: %s\n", folder,
                 std::strerror(errno));
    delete session;
    return;
  }
  the_session = session;
  write_head(*session);
  static bool is_first = true;  // handlers stay registered in forked children
  if (is_first) {
    pthread_atfork(nullptr, nullptr, forget_in_child);
    std::atexit(finish);
    at_quick_exit(finish);
  }
  is_first = false;
  if (const std::string refusal = start(*session); !refusal.empty()) {
    write_line(*session, kRefused, refusal);
    session->is_stopped = true;
    return;
  }
  start_flushing(*session);
}

}  // namespace
}  // namespace plumbline::attach

/// The driver calls it in cuInit. Whatever happens, the program goes on.
extern "C" int InitializeInjection() {
  try {
    plumbline::attach::attach_here();
  } catch (...) {
    std::fputs("plumbline attach: out of memory or threads; nothing is recorded\n", stderr);
  }
  return 1;
}

/// NVTX calls it at the program's first range. CUPTI turns ranges into records.
extern "C" int InitializeInjectionNvtx2(void* get_export_table) {
  plumbline::attach::Cupti cupti;
  cupti.load();
  return cupti.nvtx != nullptr ? cupti.nvtx(get_export_table) : 0;
}
