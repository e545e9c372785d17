/// What a program does behind the scenes, for `-v`: files that it reads, programs that it starts.
#pragma once

#include <functional>
#include <string>

namespace plumbline {

/// Who hears of it from now on; nobody before. Called before other threads start.
void set_trace(std::function<void(const std::string&)> listener);

/// `text` is made only where somebody listens.
void trace(const std::function<std::string()>& text);

}  // namespace plumbline
