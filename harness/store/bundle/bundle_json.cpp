#include "store/bundle/bundle_json.h"

#include "core/cache_key.h"
#include "core/error.h"
#include "core/visible.h"
#include "store/bundle/archive_names.h"
#include "store/json/describe.h"

namespace plumbline {

template <class Io, Is<CaseKey> K>
void describe(Io& io, K& key) {
  io("suite", key.suite);
  io("case", key.case_id);
}

template <class Io, Is<BundledFile> F>
void describe(Io& io, F& file) {
  io("name", file.name);
  io("bytes", file.bytes);
  io("hash", file.hash);
}

template <class Io, Is<BundledSource> S>
void describe(Io& io, S& source) {
  io("path", source.path);
  io("from", source.from);
  io("hash", source.hash);
}

template <class Io, Is<AbsentSource> S>
void describe(Io& io, S& source) {
  io("path", source.path);
  io("hash", source.hash);
  io("why", source.why);
}

template <class Io, Is<BundledSide> S>
void describe(Io& io, S& side) {
  io("commit", side.commit);
  io("dirty", side.dirty);
  io("worker_hash", side.worker_hash);
  io("suites", side.suites);
  io("extensions", side.extensions);
  io("sources", side.sources);
  io("absent", side.absent);
  io("variables", side.variables);
  io("hides_variables", side.hides_variables);
}

template <class Io, Is<Bundle> B>
void describe(Io& io, B& bundle) {
  io("format", bundle.format);
  io("plumbline", bundle.plumbline);
  io("is_redacted", bundle.is_redacted);
  io("cases", bundle.cases);
  io("set", bundle.set);
  io("policy", bundle.policy);
  io("a", bundle.sides[0]);
  io("b", bundle.sides[1]);
  io("files", bundle.files);
}

std::string content_hash_of(const std::string& content) { return cache_key(content); }

std::string bundle_json_text(const Bundle& bundle) { return json_text(JsonWriter::encode(bundle)); }

Bundle read_bundle_json(const std::string& text, const std::string& archive) {
  const std::string name = archive + ": " + kBundleFile;
  const ParsedJson json = ParsedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error(name + ": this is no JSON");
  check_format(json, name, "a bundle", "files");
  Bundle bundle;
  JsonReader reader(JsonView(json, name));
  describe(reader, bundle);
  for (const BundledSide& side : bundle.sides)
    for (const auto* paths : {&side.suites, &side.extensions})
      for (const std::string& path : *paths)
        if (const std::string why = name_mistake(path); !why.empty())
          throw Error(name + ": the path '" + visible(path) + "' is refused: " + why);
  return bundle;
}

}  // namespace plumbline
