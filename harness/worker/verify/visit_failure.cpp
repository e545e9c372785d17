#include "worker/verify/visit_failure.h"

#include <c10/util/Exception.h>

#include <new>

#include "backends/implementation.h"
#include "backends/wrong_result.h"

namespace plumbline {

VisitFailure meaning_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const VisitFailure& ended) {
    return ended;
  } catch (const Unsupported& reason) {
    return {Status::unsupported, reason.what()};
  } catch (const WrongResult& reason) {
    return {Status::wrong, reason.what()};
  } catch (const c10::OutOfMemoryError& reason) {
    return {Status::out_of_memory, reason.what_without_backtrace()};
  } catch (const std::bad_alloc&) {
    return {Status::out_of_memory, "the host has no memory left"};
  } catch (const c10::NotImplementedError& reason) {
    return {Status::unsupported, reason.what_without_backtrace()};
  } catch (const c10::Error& reason) {
    const std::string text = reason.what_without_backtrace();
    const bool is_unsupported = text.find("not implemented for '") != std::string::npos;
    return {is_unsupported ? Status::unsupported : Status::crashed, text};
  } catch (const DeviceError& reason) {
    return {
        reason.kind == DeviceError::Kind::out_of_memory ? Status::out_of_memory : Status::crashed,
        reason.what()};
  } catch (const std::exception& reason) {
    return {Status::crashed, reason.what()};
  }
}

}  // namespace plumbline
