// A small generator of random numbers, so that a seed means the same on every machine.
export function generator(seed) {
  let state = (seed * 2654435761) % 2 ** 32 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 8; ++i) next();
  return {
    below: count => Math.floor(next() * count),
    chance: probability => next() < probability,
    pick: list => list[Math.floor(next() * list.length)],
  };
}
