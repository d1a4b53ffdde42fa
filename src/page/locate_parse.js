// Parses locator expressions as agents write them, without running them:
//
//   getByRole('button', { name: 'Save' }).filter({ hasText: /draft/i }).nth(1)  ->  a selector
(troupe => {
  const complain = message => troupe.fail('INVALID_SELECTOR', message);

  const shapes = [
    ['space', /\s+/y],
    ['string', /'(?:\\[^]|[^'\\])*'|"(?:\\[^]|[^"\\])*"|`(?:\\[^]|[^`\\])*`/y],
    ['regex', /\/(?:\\[^]|[^/\\])*\/[a-z]*/y],
    ['mark', /[(){}.,:;]/y],
    ['word', /[A-Za-z_$][\w$]*/y],
    ['number', /-?\d+(?:\.\d+)?/y],
  ];

  const tokenize = text => {
    const tokens = [];
    for (let at = 0; at < text.length;) {
      const found = shapes.map(([kind, shape]) => (shape.lastIndex = at, { kind, raw: shape.exec(text)?.[0] }))
        .find(({ raw }) => raw);
      if (!found) {
        const what = /['"`/]/.test(text[at]) ? 'Unterminated string' : `Unexpected character "${text[at]}"`;
        throw complain(`${what} in ${text}`);
      }
      if (found.kind !== 'space') tokens.push(found);
      at += found.raw.length;
    }
    tokens.push({ kind: 'end', raw: '' });
    return tokens;
  };

  const controls = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  const unquote = raw => raw.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, hex, char) =>
    hex ? String.fromCharCode(parseInt(hex, 16)) : controls[char] ?? char);

  const toRegex = raw => {
    const end = raw.lastIndexOf('/');
    try {
      return new RegExp(raw.slice(1, end).replaceAll('\\/', '/'), raw.slice(end + 1));
    } catch (thrown) {
      throw complain(thrown.message);
    }
  };

  const isText = value => typeof value === 'string' || value instanceof RegExp;
  const isChain = value => Array.isArray(value?.steps);
  const typeNames = {
    string: 'a string', number: 'a number', boolean: 'true or false', text: 'a string or a regular expression',
    locator: 'a locator',
  };
  const isOfType = (value, type) =>
    type === 'text' ? isText(value) : type === 'locator' ? isChain(value) : typeof value === type;

  // The arguments of one call, checked as they are read.
  class Call {
    constructor(method, values, options) {
      this.method = method;
      this.values = values;
      this.options = options;
    }
    allow(count, options = []) {
      if (this.values.length > count) throw complain(`Too many arguments for ${this.method}`);
      const odd = [...this.options.keys()].find(name => !options.includes(name));
      if (odd) throw complain(`Unsupported option ${odd} for ${this.method}`);
      return this;
    }
    first(...types) {
      const value = this.values[0];
      if (!types.some(type => isOfType(value, type))) {
        throw complain(`${this.method} takes ${types.map(type => typeNames[type]).join(' or ')} as its first argument`);
      }
      return value;
    }
    option(name, type) {
      const value = this.options.get(name);
      if (value === undefined || isOfType(value, type)) return value;
      throw complain(`Option ${name} of ${this.method} takes ${typeNames[type]}`);
    }
  }

  const asText = (value, exact) =>
    typeof value === 'string' ? JSON.stringify(value) + (exact ? 's' : 'i') : troupe.printRegex(value);
  const inAttribute = (value, exact) =>
    typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"${exact ? 's' : 'i'}` : troupe.printRegex(value);

  const step = (engine, body) => ({ engine, body });
  const nested = (engine, inner) => ({ engine, inner, body: JSON.stringify(troupe.printSelector(inner)) });
  const enterFrame = step('internal:control', 'enter-frame');

  const filterOptions = ['hasText', 'hasNotText', 'has', 'hasNot', 'visible'];
  const filters = call => {
    const [text, noText] = [call.option('hasText', 'text'), call.option('hasNotText', 'text')];
    const [has, hasNot] = [call.option('has', 'locator'), call.option('hasNot', 'locator')];
    const visible = call.option('visible', 'boolean');
    return [
      ...(text === undefined ? [] : [step('internal:has-text', asText(text))]),
      ...(noText === undefined ? [] : [step('internal:has-not-text', asText(noText))]),
      ...(has ? [nested('internal:has', has)] : []),
      ...(hasNot ? [nested('internal:has-not', hasNot)] : []),
      ...(visible === undefined ? [] : [step('visible', String(visible))]),
    ];
  };

  const roleOptions = [
    'name', 'description', 'exact', 'checked', 'disabled', 'expanded', 'includeHidden', 'level', 'pressed', 'selected',
  ];
  const byRole = call => {
    const exact = call.allow(1, roleOptions).option('exact', 'boolean');
    const valueOf = name => {
      if (name === 'level') return call.option(name, 'number');
      const isText = name === 'name' || name === 'description';
      return isText ? inAttribute(call.option(name, 'text'), exact) : call.option(name, 'boolean');
    };
    const attributes = [...call.options.keys()].filter(name => name !== 'exact')
      .map(name => `[${name === 'includeHidden' ? 'include-hidden' : name}=${valueOf(name)}]`);
    return [step('internal:role', call.first('string') + attributes.join(''))];
  };

  const byText = engine => call => {
    const text = call.allow(1, ['exact']).first('text');
    return [step(engine, asText(text, call.option('exact', 'boolean')))];
  };
  const byAttribute = name => call => {
    const text = call.allow(1, ['exact']).first('text');
    return [step('internal:attr', `[${name}=${inAttribute(text, call.option('exact', 'boolean'))}]`)];
  };
  const byTestId = (call, { testIdAttribute = 'data-testid' }) => {
    const name = testIdAttribute.includes(',') ? JSON.stringify(testIdAttribute) : testIdAttribute;
    return [step('internal:testid', `[${name}=${inAttribute(call.allow(1).first('text'), true)}]`)];
  };

  const byLocator = call => {
    const inner = call.allow(1, filterOptions).first('string', 'locator');
    const steps = isChain(inner) ? [nested('internal:chain', inner)] : troupe.parseSelector(inner).steps;
    return [...steps, ...filters(call)];
  };
  const combined = engine => call => [nested(engine, call.allow(1).first('locator'))];
  const nth = call => [step('nth', String(call.allow(1).first('number')))];
  const fixedNth = index => call => (call.allow(0), [step('nth', String(index))]);
  const inFrame = call => call.allow(1).values.length
    ? troupe.parseSelector(call.first('string')).steps : [step('internal:control', 'any-frame')];

  const methods = {
    locator: byLocator,
    filter: call => filters(call.allow(0, filterOptions)),
    and: combined('internal:and'),
    or: combined('internal:or'),
    frameLocator: inFrame,
    contentFrame: call => (call.allow(0), []),
    first: fixedNth(0),
    last: fixedNth(-1),
    nth,
    visible: call => (call.allow(0), [step('visible', 'true')]),
    getByRole: byRole,
    getByText: byText('internal:text'),
    getByLabel: byText('internal:label'),
    getByTestId: byTestId,
    getByAltText: byAttribute('alt'),
    getByPlaceholder: byAttribute('placeholder'),
    getByTitle: byAttribute('title'),
  };
  // After a frame locator, first(), last() and nth() choose among the frames.
  const choosesFrame = new Set(['first', 'last', 'nth']);

  class Reader {
    constructor(text, options) {
      this.tokens = tokenize(text);
      this.options = options;
      this.at = 0;
    }

    get peek() {
      return this.tokens[this.at];
    }
    eat(raw) {
      const { kind, raw: found } = this.peek;
      const isIt = found === raw && (kind === 'mark' || kind === 'word');
      if (isIt) this.at++;
      return isIt;
    }
    expect(raw) {
      if (!this.eat(raw)) throw this.unexpected();
    }
    take(kind) {
      if (this.peek.kind !== kind) throw this.unexpected();
      return this.tokens[this.at++].raw;
    }
    unexpected() {
      return complain(this.peek.kind === 'end' ? 'Unexpected end of input' : `Unexpected token "${this.peek.raw}"`);
    }

    whole() {
      this.eat('await');
      const chain = this.locator();
      this.eat(';');
      if (this.peek.kind !== 'end') throw this.unexpected();
      if (chain.steps[0]?.inner) throw complain(`"${chain.steps[0].engine}" selector cannot be first`);
      return chain;
    }

    locator() {
      const steps = [];
      let atFrame = false;
      if (this.peek.raw === 'page' && this.tokens[this.at + 1].raw === '.') this.at += 2;
      do {
        const call = this.call();
        if (atFrame && !choosesFrame.has(call.method)) {
          steps.push(enterFrame);
          atFrame = false;
        }
        steps.push(...methods[call.method](call, this.options));
        if (call.method === 'contentFrame' || (call.method === 'frameLocator' && call.values.length)) atFrame = true;
      } while (this.eat('.'));
      if (atFrame) steps.push(enterFrame);
      return { steps };
    }

    call() {
      const method = this.take('word');
      if (!Object.hasOwn(methods, method)) throw complain(`Unsupported locator method ${method}`);
      const values = [];
      const options = new Map();
      if (this.eat('(') && !this.eat(')')) {
        do {
          if (this.eat('{')) this.bag(options);
          else values.push(this.value());
        } while (this.eat(','));
        this.expect(')');
      }
      return new Call(method, values, options);
    }

    bag(options) {
      while (!this.eat('}')) {
        const name = this.take('word');
        this.expect(':');
        options.set(name, this.value());
        if (!this.eat(',')) return this.expect('}');
      }
    }

    value() {
      const { kind, raw } = this.peek;
      if (kind === 'word') {
        if (this.eat('true')) return true;
        if (this.eat('false')) return false;
        if (this.eat('AriaRole')) return this.expect('.'), this.take('word').toLowerCase();
        return this.locator();
      }
      if (kind !== 'string' && kind !== 'regex' && kind !== 'number') throw this.unexpected();
      this.at++;
      return kind === 'string' ? unquote(raw) : kind === 'regex' ? toRegex(raw) : Number(raw);
    }
  }

  // The selector of a locator expression. `testIdAttribute` is the attribute that getByTestId uses.
  troupe.parseLocator = (text, options = {}) => troupe.printSelector(new Reader(text, options).whole());

  const looksLikeLocator = text => /^\s*(?:page\s*\.\s*)?(?:getBy\w+|locator|frameLocator)\s*\(/.test(text);

  // Parses an agent's `target`: {ref}, or {selector} for a selector or locator expression.
  troupe.parseTarget = (text, options) => {
    if (/^(f\d+)?e\d+$/.test(text)) return { ref: text };
    let selectorError;
    try {
      troupe.parseSelector(text);
      return { selector: text };
    } catch (thrown) {
      selectorError = thrown;
    }
    try {
      return { selector: troupe.parseLocator(text, options) };
    } catch (thrown) {
      const { message } = looksLikeLocator(text) ? thrown : selectorError;
      throw complain(`"${text}" is not a ref, a selector or a locator: ${message}`);
    }
  };
})(globalThis.troupe);
