// Text added by style sheets: ::before, ::after and `content` with alternative text.
(troupe => {
  const { attribute } = troupe.dom;
  const { mayHavePseudo } = troupe.pseudoHints;

  // `content` as the browser serialises it: strings and attr() count, `/` starts the alternative text,
  // anything else (counters, images, quotes) means that the whole value yields no text.
  const PART = /\s*(?:"((?:[^"\\]|\\[^])*)"|attr\(\s*([-\w\u0080-\uffff]+)\s*\)|(\/)|(\S))/gy;
  const STRINGS_AND_URLS = /"(?:[^"\\]|\\[^])*"/g;
  const HEX_ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([^]))/gi;

  const unescape = text => text.includes('\\')
    ? text.replace(HEX_ESCAPE, (_, hex, character) => {
      if (!hex) return character === '\n' ? '' : character;
      const code = parseInt(hex, 16);
      return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    })
    : text;

  // The index of the alternative text, or -1: the first slash outside a string.
  const slashIn = content => {
    if (!content.includes('/')) return -1;
    return content.replace(STRINGS_AND_URLS, string => ' '.repeat(string.length)).indexOf('/');
  };

  // The text of a `content` value, or undefined if it has none.
  const textOfContent = (element, content, isPseudo) => {
    const slash = slashIn(content);
    if (slash < 0 && !isPseudo) return undefined;
    const source = slash < 0 ? content : content.slice(slash + 1);
    let text = '';
    PART.lastIndex = 0;
    while (PART.lastIndex < source.length) {
      const part = PART.exec(source);
      if (!part) break;  // only white space is left
      if (part[1] !== undefined) text += unescape(part[1]);
      else if (part[2] !== undefined) text += attribute(element, part[2]) || '';
      else return undefined;
    }
    return text;
  };

  const textOfStyle = (element, style, isPseudo) => {
    const { content } = style;
    if (!content || content === 'none' || content === 'normal') return undefined;
    if (style.display === 'none' || style.visibility === 'hidden') return undefined;
    return textOfContent(element, content, isPseudo);
  };

  const pseudoText = (facts, pseudo) => {
    if (!(facts.asksPseudo ??= mayHavePseudo(facts.element))) return '';
    const style = getComputedStyle(facts.element, pseudo);
    const text = textOfStyle(facts.element, style, true);
    if (text === undefined) return '';
    return (style.display || 'inline') === 'inline' ? text : ' ' + text + ' ';
  };

  const textBefore = facts => facts.before ??= pseudoText(facts, '::before');
  const textAfter = facts => facts.after ??= pseudoText(facts, '::after');

  // The text that replaces the element's content (`content: url(…) / "text"`), or null.
  const replacementText = facts => {
    if (facts.replacement === undefined)
      facts.replacement = textOfStyle(facts.element, facts.style, false) ?? null;
    return facts.replacement;
  };

  troupe.pseudo = { textBefore, textAfter, replacementText };
})(globalThis.troupe);
