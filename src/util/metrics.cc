#include "util/metrics.h"

#include <charconv>
#include <cstdio>
#include <unistd.h>

namespace {

std::string number(double value) {
    char digits[32];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string render_labels(const Metrics::Labels& labels) {
    std::string text;
    for (const auto& [name, value] : labels) {
        text += text.empty() ? "" : ",";
        text += name + "=\"";
        for (char c : value) {
            if (c == '\\' || c == '"') text += '\\';
            text += c == '\n' ? ' ' : c;
        }
        text += '"';
    }
    return text;
}

void head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
    out.append("# HELP ").append(name).append(" ").append(help).append("\n");
    out.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void sample(std::string& out, std::string_view name, std::string_view labels, std::string_view value) {
    out += name;
    if (!labels.empty()) out.append("{").append(labels).append("}");
    out.append(" ").append(value).append("\n");
}

}  // namespace

void Histogram::observe(std::chrono::nanoseconds span) {
    double seconds = std::chrono::duration<double>(span).count();
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
    ++buckets_[bucket];
    ++count_;
    sum_ += seconds;
}

Counter& Metrics::counter(std::string_view name, std::string_view help, const Labels& labels) {
    auto& family = counters_[std::string(name)];
    family.help = help;
    return family.series[render_labels(labels)];
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, const Labels& labels) {
    auto& family = histograms_[std::string(name)];
    family.help = help;
    return family.series[render_labels(labels)];
}

void Metrics::gauge(std::string_view name, std::string_view help, std::function<double()> read,
                    const Labels& labels) {
    auto& family = gauges_[std::string(name)];
    family.help = help;
    family.series[render_labels(labels)] = std::move(read);
}

std::string Metrics::render() const {
    std::string out;
    for (const auto& [name, family] : counters_) {
        head(out, name, family.help, "counter");
        for (const auto& [labels, counter] : family.series)
            sample(out, name, labels, std::to_string(counter.value()));
    }
    for (const auto& [name, family] : gauges_) {
        head(out, name, family.help, "gauge");
        for (const auto& [labels, read] : family.series) sample(out, name, labels, number(read()));
    }
    for (const auto& [name, family] : histograms_) {
        head(out, name, family.help, "histogram");
        for (const auto& [labels, histogram] : family.series) {
            std::string prefix = labels.empty() ? "" : labels + ",";
            std::uint64_t cumulative = 0;
            for (std::size_t i = 0; i <= Histogram::kBounds.size(); ++i) {
                cumulative += histogram.buckets_[i];
                std::string bound = i < Histogram::kBounds.size() ? number(Histogram::kBounds[i]) : "+Inf";
                std::string bucket = prefix;
                bucket.append("le=\"").append(bound).append("\"");
                sample(out, name + "_bucket", bucket, std::to_string(cumulative));
            }
            sample(out, name + "_sum", labels, number(histogram.sum_));
            sample(out, name + "_count", labels, std::to_string(histogram.count_));
        }
    }
    return out;
}

std::uint64_t resident_bytes() {
    std::uint64_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
        unsigned long long size = 0, resident = 0;
        if (std::fscanf(file, "%llu %llu", &size, &resident) == 2) pages = resident;
        std::fclose(file);
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}
