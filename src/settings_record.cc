#include "settings.h"
#include "util/files.h"

store::Options store_options(const config::Config& config) {
    store::Options options;
    options.path = config.store.path.empty() ? state_directory() / "record.db" : config.store.path;
    options.key_file = config.store.key_file;
    options.max_age = config.store.max_age;
    options.max_bytes = config.store.max_bytes;
    return options;
}

record::RecorderOptions recorder_options(const config::Config& config, const std::filesystem::path& directory,
                                         store::Store* store) {
    record::RecorderOptions options;
    options.store = store;
    options.secrets = config.secrets;
    options.redact_url_params = config.redact_url_params;
    options.secrets.merge(hidden_credentials(config));
    if (config.upstream.offered)
        options.snapshots = config.upstream.cwd.empty() ? directory : config.upstream.cwd;
    options.durable = config.store.durability == config::Durability::Full;
    options.answers = {.mode = static_cast<record::Mode>(config.answers.mode),
                       .max_chars = config.answers.max_chars,
                       .budget = config.answers.budget,
                       .mark_untrusted = config.security.mark_untrusted};
    return options;
}

bool refers_to_record(const config::Config& config) {
    const config::AnswerConfig& answers = config.answers;
    return answers.mode != config::ResponseMode::Full || answers.max_chars || answers.budget;
}
