// Counters, gauges and histograms, printed in Prometheus' text format.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// A number that only grows.
class Counter {
public:
    void add(std::uint64_t count = 1) { value_ += count; }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

// Durations, counted in fixed buckets from 0.5 ms to 60 s.
class Histogram {
public:
    static constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                           0.25,   0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0};
    void observe(std::chrono::nanoseconds span);

private:
    friend class Metrics;
    std::array<std::uint64_t, kBounds.size() + 1> buckets_{};
    std::uint64_t count_ = 0;
    double sum_ = 0;
};

// All metrics of the process. Lives on the main loop; references stay valid as long as it does.
class Metrics {
public:
    using Labels = std::vector<std::pair<std::string, std::string>>;

    Counter& counter(std::string_view name, std::string_view help, const Labels& labels = {});
    Histogram& histogram(std::string_view name, std::string_view help, const Labels& labels = {});
    // Registers a value that is read when the metrics are printed.
    void gauge(std::string_view name, std::string_view help, std::function<double()> read,
               const Labels& labels = {});

    std::string render() const;

private:
    template <class T>
    struct Family {
        std::string help;
        std::map<std::string, T> series;  // by rendered labels
    };
    std::map<std::string, Family<Counter>, std::less<>> counters_;
    std::map<std::string, Family<Histogram>, std::less<>> histograms_;
    std::map<std::string, Family<std::function<double()>>, std::less<>> gauges_;
};

// Bytes of memory this process has resident, from the kernel.
std::uint64_t resident_bytes();
