// Formats text for snapshots: white space squeezed, scalars quoted as YAML requires.
(troupe => {
  const INVISIBLE = /[\u200b\u00ad]/g;  // zero-width space, soft hyphen

  // One line, single spaces, no invisible characters. Most texts comply once trimmed.
  const UNEVEN = /[\u200b\u00ad]|\s\s|[^\S ]/;
  const squeeze = text => {
    const trimmed = text.trim();
    return UNEVEN.test(trimmed)
      ? trimmed.replace(INVISIBLE, '').trim().replace(/\s+/g, ' ') : trimmed;
  };

  // The "flat string" of an accessible name: as squeeze(), but no-break spaces stay.
  const flatten = text =>
    text.replace(INVISIBLE, '').replace(/[^\S\u00a0]+/g, ' ').trim();

  // Text that YAML would not read as this plain string: an indicator or a space at either end, a key or
  // comment inside, a control character or a brace anywhere.
  const UNSAFE = new RegExp([
    '^$', '^[\\s\\-&*\\],?!>|@"\'#%[]', '\\s$', ':(?:\\s|$)', '\\s#',
    '[\\n\\r{}`\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]',
  ].join('|'));
  const WORDS = /^(?:y|n|yes|no|true|false|on|off|null)$/i;

  const needsQuotes = text =>
    UNSAFE.test(text) ||
    (/^[\d+.I]/.test(text) && !Number.isNaN(Number(text))) ||
    (text.length <= 5 && WORDS.test(text));

  const ESCAPES = {
    '\\': '\\\\', '"': '\\"', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t',
  };
  const escapeCharacter = character =>
    ESCAPES[character] ?? '\\x' + character.charCodeAt(0).toString(16).padStart(2, '0');

  const yamlValue = text =>
    needsQuotes(text) ? '"' + text.replace(/[\\"\x00-\x1f\x7f-\x9f]/g, escapeCharacter) + '"' : text;

  // Keys start with a role, so only their inner text can require quotes.
  const yamlKey = key => (UNSAFE.test(key) ? "'" + key.replaceAll("'", "''") + "'" : key);

  // A data: URL without its payload.
  const shortUrl = url => {
    const comma = url.startsWith('data:') ? url.indexOf(',') : -1;
    return comma < 0 ? url : url.slice(0, comma + 1) + '\u2026';
  };

  Object.assign(troupe, { squeeze, flatten, yamlValue, yamlKey, shortUrl });
})(globalThis.troupe);
