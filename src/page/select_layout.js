// Layout selectors: the distance of an element to the right of, left of, above, below or near others.
(troupe => {
  const beside = (gap, box, other) => gap + Math.max(other.bottom - box.bottom, 0) + Math.max(box.top - other.top, 0);
  const stacked = (gap, box, other) => gap + Math.max(box.left - other.left, 0) + Math.max(other.right - box.right, 0);

  // The gap in the selector's direction, and the penalty for misalignment across it.
  const directions = {
    'right-of': [(box, other) => box.left - other.right, beside],
    'left-of': [(box, other) => other.left - box.right, beside],
    above: [(box, other) => other.top - box.bottom, stacked],
    below: [(box, other) => box.top - other.bottom, stacked],
  };

  const nearness = (box, other, limit = 50) => {
    const gaps = [box.left - other.right, other.left - box.right, other.top - box.bottom, box.top - other.bottom];
    const distance = gaps.reduce((sum, gap) => sum + Math.max(gap, 0), 0);
    return distance > limit ? undefined : distance;
  };

  const scoreOf = (name, box, other, limit) => {
    if (name === 'near') return nearness(box, other, limit);
    const [gapBetween, score] = directions[name];
    const gap = gapBetween(box, other);
    return gap < 0 || gap > (limit ?? Infinity) ? undefined : score(gap, box, other);
  };

  troupe.layoutNames = [...Object.keys(directions), 'near'];

  // The best score of `element` against `others`, smaller is nearer; undefined if none is on that side.
  troupe.layoutScore = (name, element, others, limit) => {
    const box = element.getBoundingClientRect();
    let best;
    for (const other of others) {
      if (other === element) continue;
      const score = scoreOf(name, box, other.getBoundingClientRect(), limit);
      if (score !== undefined && (best === undefined || score < best)) best = score;
    }
    return best;
  };
})(globalThis.troupe);
