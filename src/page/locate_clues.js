// Ways to distinguish an element from others: test id, role and name, label, placeholder, text and so on.
//
//   Clue { tokens, textual, list, fits }
//
// `tokens` spell the selector and carry its score (less is better); `list` returns every element that may
// match, in selector order and possibly lazily, and `fits` filters them. `textual` clues use text that people
// read.
(troupe => {
  const { attribute } = troupe.dom;

  const exactCost = 5;
  const scores = {
    testId: 1, otherTestId: 2, frameAttribute: 10,
    roleAndName: 100, placeholder: 120, label: 140, alt: 160, text: 180, title: 200, textRegex: 250,
    id: 500, role: 510, inputAttribute: 520, tag: 530,
  };

  // One step of a selector. Longer texts cost a little more.
  const token = (engine, body, score) => {
    const isText = score > 50 && score < 300;
    return { engine, body, score: isText ? score + Math.min(10, Math.floor(body.length / 10)) : score };
  };

  // Quoting: CSS attribute values, and the texts of our own engines with i (part, any case) or s (exact).
  const cssQuote = text => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const flag = exact => exact ? 's' : 'i';
  const inAttribute = (text, exact) => `"${text.replace(/["\\]/g, '\\$&')}"${flag(exact)}`;
  const asText = (text, exact) => JSON.stringify(text) + flag(exact);

  // Escapes characters that would end a quoted part or a step of a selector.
  troupe.printRegex = regex => {
    if (regex.unicode || regex.unicodeSets) return String(regex);
    return String(regex).replace(/(^|[^\\])(\\\\)*(["'`])/g, '$1$2\\$3').replace(/>>/g, '\\>\\>');
  };
  const wholeText = text => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);

  const tagCss = element => troupe.nodeName(element).toLocaleLowerCase().replace(/[:.]/g, '\\$&');
  troupe.idCss = id => /^[a-zA-Z][\w-]+$/.test(id) ? `#${id}` : `[id=${cssQuote(id)}]`;
  troupe.tagCss = tagCss;

  const cutAtWord = (text, limit) => {
    if (text.length <= limit) return text;
    return /^(.*)\b(.+?)$/.exec(text.slice(0, limit))?.[1].trimEnd() ?? '';
  };

  // Shorter texts to find `text` by: without a number at either end, which tends to change, and cut to a
  // readable length. A bonus makes the better ones cheaper.
  const shorter = text => {
    const found = [];
    const withoutNumber = rest => {
      const cut = cutAtWord(rest, 80);
      found.push({ text: cut, bonus: cut.length <= 30 ? 2 : 1 });
    };
    const leading = /^([\d.,]+)[^.,\w]/.exec(text);
    if (leading) withoutNumber(text.slice(leading[1].length).trimStart());
    const trailing = /[^.,\w]([\d.,]+)$/.exec(text);
    if (trailing) withoutNumber(text.slice(0, -trailing[1].length).trimEnd());
    if (text.length <= 30) found.push({ text, bonus: 0 });
    else found.push({ text: cutAtWord(text, 80), bonus: 0 }, { text: cutAtWord(text, 30), bonus: 1 });
    const usable = found.filter(one => one.text);
    return usable.length ? usable : [{ text: text.slice(0, 80), bonus: 0 }];
  };

  // An id that often changes between character classes is machine-made.
  const looksRandom = id => {
    let last = '';
    let changes = 0;
    for (const char of id) {
      if (char === '-' || char === '_') continue;
      const type = /[a-z]/.test(char) ? 'lower' : /[A-Z]/.test(char) ? 'upper' : /[0-9]/.test(char) ? 'digit' : 'other';
      if (last && last !== type && !(last === 'upper' && type === 'lower')) changes++;
      last = type;
    }
    return changes >= id.length / 4;
  };

  const always = () => true;
  const clue = (tokens, list, fits, textual = false) => ({ tokens: [tokens].flat(), list, fits, textual });

  const cssClue = (css, score) => clue(token('css', css, score), () => troupe.nativeAll(document, css), always);

  const attributeClue = (engine, name, text, exact, score, textual) => {
    const fits = troupe.valueFits({ value: text, exact });
    return clue(token(engine, `[${name}=${inAttribute(text, exact)}]`, score),
      () => troupe.nativeAll(document, `[${name}]`), element => fits(attribute(element, name)), textual);
  };

  // An attribute that people read, exact and in shorter forms.
  const attributeClues = (name, text, score, textual) => [
    attributeClue('internal:attr', name, text, true, score + exactCost, textual),
    ...shorter(text).map(one => attributeClue('internal:attr', name, one.text, false, score - one.bonus, textual)),
  ];

  const textClue = (text, exact, score) => {
    const wanted = exact ? troupe.textWhole(text) : troupe.textPart(text);
    return clue(token('internal:text', asText(text, exact), score),
      () => troupe.textEach(document, wanted), element => troupe.textFit(element, wanted) === 'self', true);
  };

  const labelClue = (text, exact, score) => {
    const { fitsText } = exact ? troupe.textWhole(text) : troupe.textPart(text);
    return clue(token('internal:label', asText(text, exact), score),
      () => troupe.nativeAll(document, troupe.mayBeLabelled),
      element => troupe.labelTexts(element).some(fitsText));
  };

  const roleClue = (role, { name, description, exact }, score, textual = true) => {
    const wanted = { role };
    let body = role;
    const add = (key, text) => {
      if (!text) return;
      wanted[key] = { op: exact ? '=' : '*=', value: troupe.squeeze(text), exact };
      body += `[${key}=${inAttribute(text, exact)}]`;
    };
    add('name', name);
    add('description', description);
    return clue(token('internal:role', body, score),
      () => troupe.mayHaveRole(document, role), element => troupe.isRole(element, wanted), textual);
  };

  // The same clue, narrowed to elements that contain a text or equal it.
  const withText = (base, text) => {
    const { fits } = troupe.textPart(text.text);
    return clue([...base.tokens, token('internal:has-text', asText(text.text, false), scores.text - text.bonus)],
      base.list, element => fits(element) && base.fits(element), true);
  };
  const withWholeText = (base, text) => {
    const regex = wholeText(text);
    return clue([...base.tokens, token('internal:has-text', troupe.printRegex(regex), scores.textRegex)],
      base.list, element => troupe.textRegex(regex).fits(element) && base.fits(element), true);
  };

  troupe.clueParts = {
    scores, exactCost, token, cssQuote, shorter, looksRandom,
    cssClue, attributeClue, attributeClues, textClue, labelClue, roleClue, withText, withWholeText,
  };
})(globalThis.troupe);
