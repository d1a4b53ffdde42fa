#include "util/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Metrics, PrintsCountersGaugesAndHistogramsForPrometheus) {
    Metrics metrics;
    metrics.counter("calls_total", "Calls.", {{"tool", "a\"b"}}).add(2);
    metrics.gauge("memory_bytes", "Memory.", [] { return 12.5; });
    metrics.histogram("call_seconds", "Time.").observe(3ms);
    metrics.histogram("call_seconds", "Time.").observe(100s);

    std::string text = metrics.render();
    EXPECT_THAT(text, HasSubstr("# TYPE calls_total counter\ncalls_total{tool=\"a\\\"b\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("memory_bytes 12.5\n"));
    EXPECT_THAT(text, HasSubstr("call_seconds_bucket{le=\"0.0025\"} 0\n"));
    EXPECT_THAT(text, HasSubstr("call_seconds_bucket{le=\"0.005\"} 1\n"));
    EXPECT_THAT(text, HasSubstr("call_seconds_bucket{le=\"+Inf\"} 2\n"));
    EXPECT_THAT(text, HasSubstr("call_seconds_count 2\n"));
}

TEST(Metrics, ReadsThisProcessesMemory) { EXPECT_GT(resident_bytes(), 100'000u); }
