// Extracts from a CSS selector one name that every match must carry: a class, id, attribute or tag.
(troupe => {
  const NAME = '(?:[-\\w\\u0080-\\uffff]|\\\\[0-9a-f]{1,6}\\s?|\\\\[^0-9a-f\\n])+';
  const SIMPLE = new RegExp(
    `(\\.${NAME})|(#${NAME})|\\[\\s*(?:[-\\w*]*\\|)?(${NAME})[^\\]]*\\]|::?([-\\w]+)|(&)|(${NAME})`, 'iy');
  const ESCAPE = /\\(?:[0-9a-f]{1,6}\s?|[^])/iy;
  const STRING = /"(?:[^"\\]|\\[^])*"/g;

  // The index where the bracket that opened before `from` closes.
  const closing = (text, from) => {
    let depth = 1;
    for (let i = from; i < text.length; ++i) {
      if (text[i] === '\\') ++i;
      else if (text[i] === '(') ++depth;
      else if (text[i] === ')' && --depth === 0) return i;
    }
    return text.length;
  };

  // The last compound of each selector of a list: "a > b.c::before, d" has "b.c::before" and "d".
  const subjectsOf = list => {
    const text = list.replace(STRING, '""');
    const subjects = [];
    let start = 0;
    for (let i = 0; i <= text.length; ++i) {
      const character = text[i];
      if (character === '\\') {
        ESCAPE.lastIndex = i;
        i += ESCAPE.exec(text)[0].length - 1;
      } else if (character === '(') {
        i = closing(text, i + 1);
      } else if (character === '[') {
        i = text.indexOf(']', i);
      } else if (character === ',' || character === undefined) {
        subjects.push(text.slice(start, i));
        start = i + 1;
      } else if (' >+~'.includes(character)) {
        start = i + 1;
      }
    }
    return subjects;
  };

  // The names that identify a compound, as selectors; null if it could be any element, or one in another
  // tree. `resolve` returns the names for '&' and ':host'.
  const namesOf = (compound, resolve) => {
    if (/::(?:part|slotted)\(/.test(compound)) return null;
    let attribute, tag, other;
    for (let i = 0; i < compound.length;) {
      SIMPLE.lastIndex = i;
      const part = SIMPLE.exec(compound);
      if (!part) {
        ++i;
        continue;
      }
      i = SIMPLE.lastIndex;
      const [, className, id, attributeName, pseudo, nesting, tagName] = part;
      if (className || id) return [className ?? id];
      if (attributeName) attribute ??= `[${attributeName}]`;
      if (tagName && compound[i] !== '|') tag ??= tagName;
      if (nesting) other ??= resolve('&');
      if (!pseudo) continue;
      const hasArguments = compound[i] === '(';
      const end = hasArguments ? closing(compound, i + 1) : i;
      if (pseudo === 'host' || pseudo === 'host-context') other ??= resolve(':host');
      if (pseudo === 'is' || pseudo === 'where') other ??= namesOfAll(compound.slice(i + 1, end), resolve);
      i = hasArguments ? end + 1 : end;
    }
    const name = attribute ?? tag;
    return name ? [name] : other ?? null;
  };

  const namesOfAll = (list, resolve) => {
    const names = subjectsOf(list).map(subject => namesOf(subject, resolve));
    return names.includes(null) ? null : names.flat();
  };

  troupe.subjects = { subjectsOf, namesOf, namesOfAll };
})(globalThis.troupe);
