// Numbers out of samples. A busy machine only ever makes things slower, so beside the median stands the best.
export function percentile(samples, fraction) {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = (sorted.length - 1) * fraction;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

export const median = samples => percentile(samples, 0.5);

// `better` is 'less' or 'more'.
export function summarize(samples, better) {
  return {
    median: median(samples),
    best: better === 'less' ? Math.min(...samples) : Math.max(...samples),
    samples,
  };
}
