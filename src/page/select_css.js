// Parses CSS selectors for select_match.js. Native parts stay text for the browser; only our own
// pseudo-classes and the combinators are parsed, because both cross shadow roots.
//
//   List     Complex[]
//   Complex  { compounds: Compound[], joins: string[] }   joins[i] stands between i and i + 1
//   Compound { native: string, checks: {name, args}[] }   args: Complex, string or number
(troupe => {
  const ours = new Set([
    'not', 'is', 'where', 'has', 'scope', 'light', 'visible', 'text', 'text-matches', 'text-is', 'has-text',
    'above', 'below', 'right-of', 'left-of', 'near', 'nth-match',
  ]);

  const escape = String.raw`\\(?:[0-9a-fA-F]{1,6}[ \t\n]?|[^\n0-9a-fA-F])`;
  const inName = String.raw`(?:[\w-]|[^\x00-\x7f]|${escape})`;
  const name = String.raw`(?:--|-?(?:[A-Za-z_]|[^\x00-\x7f]|${escape}))${inName}*`;
  const number = String.raw`[+-]?(?:\d*\.\d+|\d+)(?:[eE][+-]?\d+)?`;

  // In matching order; the first shape that matches here makes the token.
  const shapes = [
    ['comment', String.raw`\/\*[^]*?(?:\*\/|$)`],
    ['space', String.raw`[ \t\n]+`],
    ['string', String.raw`"(?:\\[^]|[^"\\\n])*(?:"|\\?$)|'(?:\\[^]|[^'\\\n])*(?:'|\\?$)`],
    ['badString', `["']`],
    ['hash', `#${inName}+`],
    ['percentage', `${number}%`],
    ['dimension', `${number}${name}`],
    ['number', number],
    ['unsupported', String.raw`<!--|-->|\|\||[;{}]|@${name}`],
    ['url', String.raw`[uU][rR][lL]\(\s*(?!["'\s])[^)]*\)?`],
    ['function', `${name}\\(`],
    ['ident', name],
    ['mark', String.raw`[~|^$*]=|[^]`],
  ].map(([kind, shape]) => ({ kind, shape: new RegExp(shape, 'y') }));

  const unescape = text => text.replace(/\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|\n|([^]))/g, (_, hex, char) => {
    if (!hex) return char ?? '';
    const code = parseInt(hex, 16);
    return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });

  const unquote = raw => unescape(raw.slice(1, raw.length > 1 && raw.endsWith(raw[0]) ? -1 : undefined));

  const requote = text => `"${text.replace(/["\\]/g, '\\$&')}"`;

  const tokenize = text => {
    const source = text.replace(/\r\n?|\f/g, '\n').replaceAll('\0', '\ufffd');
    const tokens = [];
    for (let at = 0; at < source.length;) {
      for (const { kind, shape } of shapes) {
        shape.lastIndex = at;
        const raw = shape.exec(source)?.[0];
        if (raw === undefined) continue;
        if (kind !== 'comment') tokens.push({ kind, raw });
        at += raw.length;
        break;
      }
    }
    tokens.push({ kind: 'end', raw: '' });
    return tokens;
  };

  const spelled = ({ kind, raw }) => kind === 'space' ? ' '
    : kind === 'string' ? requote(unquote(raw))
    : kind === 'badString' ? 'BADSTRING'
    : kind === 'url' ? `url(${requote(raw.slice(4).replace(/\)$/, '').trim())})`
    : raw;

  class Reader {
    constructor(text) {
      this.text = text;
      this.tokens = tokenize(text);
      this.at = 0;
      const odd = this.tokens.find(({ kind }) => ['badString', 'percentage', 'unsupported', 'url'].includes(kind));
      if (odd) throw this.error(`Unsupported token "${spelled(odd)}"`);
    }

    error(what) {
      return troupe.fail('INVALID_SELECTOR',
        `${what} while parsing css selector "${this.text}". Did you mean to CSS.escape it?`);
    }
    unexpected() {
      return this.error(`Unexpected token "${spelled(this.peek)}"`);
    }

    get peek() {
      return this.tokens[this.at];
    }
    is(kind, raw) {
      return this.peek.kind === kind && (raw === undefined || this.peek.raw === raw);
    }
    skipSpace() {
      while (this.is('space')) this.at++;
    }
    take() {
      return this.tokens[this.at++].raw;
    }
    expect(kind, raw) {
      if (!this.is(kind, raw)) throw this.unexpected();
      return this.take();
    }

    get atJoin() {
      return this.is('mark') && '>+~'.includes(this.peek.raw);
    }
    get atCompoundEnd() {
      return this.is('end') || this.is('space') || this.atJoin || this.is('mark', ',') || this.is('mark', ')');
    }

    list() {
      const items = [];
      do {
        items.push(this.argument());
        this.skipSpace();
      } while (this.is('mark', ',') && this.take());
      return items;
    }

    argument() {
      this.skipSpace();
      if (this.is('number')) return Number(this.take());
      if (this.is('string')) return unquote(this.take());
      return this.complex();
    }

    complex() {
      const compounds = [];
      const joins = [];
      // A selector that starts with a combinator is relative to the scope.
      compounds.push(this.atJoin ? { native: '', checks: [{ name: 'scope', args: [] }] } : this.compound());
      for (;;) {
        this.skipSpace();
        let join = '';
        if (this.atJoin) {
          join = this.take();
          this.skipSpace();
        } else if (this.atCompoundEnd) {
          return { compounds, joins };
        }
        joins.push(join);
        compounds.push(this.compound());
      }
    }

    compound() {
      const found = { native: '', checks: [] };
      while (!this.atCompoundEnd) {
        if (this.is('ident') || this.is('hash') || this.is('mark', '*')) found.native += this.take();
        else if (this.is('mark', '.')) found.native += this.take() + this.expect('ident');
        else if (this.is('mark', '[')) found.native += this.attribute();
        else if (this.is('mark', ':')) this.pseudo(found);
        else throw this.unexpected();
      }
      if (!found.native && !found.checks.length) throw this.unexpected();
      return found;
    }

    attribute() {
      let raw = this.take();
      while (!this.is('mark', ']')) {
        if (this.is('end')) throw this.unexpected();
        raw += this.is('space') ? (this.take(), ' ') : this.take();
      }
      return raw + this.take();
    }

    pseudo(found) {
      this.take();
      if (this.is('ident')) {
        const raw = this.take();
        const known = unescape(raw).toLowerCase();
        if (ours.has(known)) found.checks.push({ name: known, args: [] });
        else found.native += `:${raw}`;
        return;
      }
      const known = unescape(this.expect('function').slice(0, -1)).toLowerCase();
      if (ours.has(known)) found.checks.push({ name: known, args: this.list() });
      else found.native += `:${known}(${this.untilClosed()})`;
      this.skipSpace();
      this.expect('mark', ')');
    }

    untilClosed() {
      let raw = '';
      for (let open = 1; !this.is('end');) {
        if (this.is('mark', '(') || this.is('function')) open++;
        if (this.is('mark', ')') && !--open) break;
        raw += this.take();
      }
      return raw;
    }
  }

  troupe.parseCss = text => {
    const reader = new Reader(text);
    const list = reader.list();
    if (!reader.is('end')) throw reader.unexpected();
    if (!list.every(item => item.compounds)) throw reader.error('Error');
    return list;
  };
})(globalThis.troupe);
