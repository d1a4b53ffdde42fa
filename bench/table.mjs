// Rows of results as text for the terminal and as Markdown.
//
// A row: { measure, unit, better: 'less' | 'more', troupe, limit?, peers: [{ name, theirs, times? }], crowded? }, where
// `troupe` and `theirs` come from summarize(); `limit` is the target in `unit`, `times` how many times better than the
// peer we want to be, `crowded` the share of the time in which somebody waited for a processor.

const scales = {
  ns: [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']],
  µs: [[1e6, 's'], [1e3, 'ms'], [1, 'µs']],
  ms: [[1e3, 's'], [1, 'ms'], [1e-3, 'µs']],
  KB: [[1, 'KB']],
  MB: [[1, 'MB']],
  MiB: [[1, 'MiB']],
  '×': [[1, '×']],
  '': [[1, '']],
  '/s': [[1, '/s']],
  characters: [[1, 'characters']],
  '%': [[1, '%']],
  sessions: [[1, 'sessions']],
};

export function format(value, unit) {
  const [size, name] = scales[unit].find(([size]) => value >= size) ?? scales[unit].at(-1);
  const scaled = value / size;
  const digits = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  const number = scaled.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return ['/s', '×', ''].includes(unit) ? number + name : `${number} ${name}`;
}

const times = (row, ours, theirs) => (row.better === 'less' ? theirs / ours : ours / theirs);

function formatTimes(row, factor) {
  const text = factor >= 9.95 ? Math.round(factor).toLocaleString('en-US') : factor.toFixed(1);
  return row.better === 'less' ? `1/${text}` : `${text}×`;
}

// A target missed says nothing about us while others use the machine, or when the best round meets it: `busy`.
const tooCrowded = 0.4;

function verdict(row, meets, median, best) {
  if (meets(median)) return 'ok';
  return meets(best) || row.crowded > tooCrowded ? 'busy' : 'miss';
}

function limitLine(row) {
  if (row.limit === undefined) return [];
  const meets = row.better === 'less' ? value => value <= row.limit : value => value >= row.limit;
  const sign = row.better === 'less' ? '≤' : '≥';
  return [{ target: `${sign} ${format(row.limit, row.unit)}`, verdict: verdict(row, meets, row.troupe.median, row.troupe.best) }];
}

function peerLine(row, peer) {
  const factor = times(row, row.troupe.median, peer.theirs.median);
  const line = { peer: peer.name, theirs: format(peer.theirs.median, row.unit), ratio: formatTimes(row, factor) };
  if (peer.times === undefined) return line;
  const sign = row.better === 'less' ? '≤' : '≥';
  const bestFactor = times(row, row.troupe.best, peer.theirs.best);
  return {
    ...line,
    target: `${sign} ${formatTimes(row, peer.times)}`,
    verdict: verdict(row, value => value >= peer.times, factor, bestFactor),
  };
}

// Each row as one line, or more when it has several targets and peers.
export function lines(rows) {
  return rows.flatMap(row => {
    const parts = [...limitLine(row), ...(row.peers ?? []).map(peer => peerLine(row, peer))];
    if (parts.length === 0) parts.push({});
    const { measure, unit, troupe } = row;
    parts[0] = { measure, troupe: format(troupe.median, unit), best: format(troupe.best, unit), ...parts[0] };
    return parts;
  });
}

const columns = [
  ['measure', 'measure'],
  ['troupe', 'Troupe', 'right'],
  ['best', 'best', 'right'],
  ['peer', 'compared with'],
  ['theirs', 'there', 'right'],
  ['ratio', 'ratio', 'right'],
  ['target', 'target', 'right'],
  ['verdict', ''],
];

const used = all => columns.filter(([key]) => all.some(line => line[key]));
const pad = (text, width, side) => (side === 'right' ? text.padStart(width) : text.padEnd(width));

const colors = { ok: 32, busy: 33, miss: 31 };
const paint = (text, code) => (process.stdout.isTTY && code ? `\x1b[${code}m${text}\x1b[0m` : text);

export function toText(rows) {
  const all = lines(rows);
  const shown = used(all);
  const widths = shown.map(([key, title]) => Math.max(title.length, ...all.map(line => (line[key] ?? '').length)));
  const render = cells => cells.join('  ').trimEnd();
  const head = render(shown.map(([, title, side], i) => pad(title, widths[i], side)));
  const body = all.map(line =>
    render(shown.map(([key, , side], i) => paint(pad(line[key] ?? '', widths[i], side), colors[line[key]]))),
  );
  return [paint(head, 1), ...body].join('\n');
}

export function toMarkdown(rows) {
  const all = lines(rows);
  const shown = used(all);
  const render = cells => `| ${cells.join(' | ')} |`;
  const rule = shown.map(([, , side]) => (side === 'right' ? '---:' : '---'));
  return [render(shown.map(([, title]) => title)), render(rule), ...all.map(line => render(shown.map(([key]) => line[key] ?? '')))].join('\n');
}

// How many targets there were, by verdict.
export function tally(rows) {
  const counts = { ok: 0, busy: 0, miss: 0 };
  for (const line of lines(rows)) if (line.verdict) ++counts[line.verdict];
  return counts;
}
