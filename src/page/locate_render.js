// Renders a selector as code: getByRole('button', { name: 'Save' }) in JavaScript, Python, Java or C#.
//
// The steps of a selector become calls { method, value?, options }, and each language prints a call. Values
// are strings, numbers, booleans, regular expressions, {code} for a nested locator or {role}.
(troupe => {
  const quote = (text, mark) => {
    const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
    return mark + inside.replaceAll(mark, `\\${mark}`) + mark;
  };
  const titled = word => word.charAt(0).toUpperCase() + word.slice(1);
  const snake = word =>
    word.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2').toLowerCase();

  // Selectors escape quotes inside regular expressions; people do not.
  const plainQuotes = source => source.replace(/(^|[^\\])(\\\\)*\\(['"`])/g, '$1$2$3');

  const flagsOf = (regex, type, names) => {
    const flags = [...regex.flags].filter(flag => flag in names).map(flag => `${type}.${names[flag]}`);
    return flags.length ? `, ${flags.join(' | ')}` : '';
  };

  const properties = new Set(['first', 'last', 'contentFrame', 'visible']);

  const javascript = {
    value(value) {
      if (value instanceof RegExp) return plainQuotes(String(value));
      if (typeof value === 'string') return quote(value, "'");
      return value?.role !== undefined ? quote(value.role, "'") : value?.code ?? String(value);
    },
    call({ method, value, options }) {
      const bag = options.map(([key, one]) => `${key}: ${this.value(one)}`).join(', ');
      const args = [...(value === undefined ? [] : [this.value(value)]), ...(bag ? [`{ ${bag} }`] : [])];
      return `${method}(${args.join(', ')})`;
    },
  };

  const python = {
    value(value) {
      if (value instanceof RegExp) {
        const source = plainQuotes(value.source).replace('\\/', '/').replaceAll('"', '\\"');
        return `re.compile(r"${source}"${flagsOf(value, 're', { i: 'IGNORECASE', m: 'MULTILINE', s: 'DOTALL' })})`;
      }
      if (typeof value === 'string') return quote(value, '"');
      if (typeof value === 'boolean') return titled(String(value));
      return value?.role !== undefined ? quote(value.role, '"') : value?.code ?? String(value);
    },
    call({ method, value, options }) {
      const name = method === 'and' || method === 'or' ? `${method}_` : snake(method);
      if (properties.has(method)) return name;
      const args = [
        ...(value === undefined ? [] : [this.value(value)]),
        ...options.map(([key, one]) => `${snake(key)}=${this.value(one)}`),
      ];
      return `${name}(${args.join(', ')})`;
    },
  };

  const java = {
    value(value) {
      if (value instanceof RegExp) {
        const flags = flagsOf(value, 'Pattern', { i: 'CASE_INSENSITIVE', m: 'MULTILINE', s: 'DOTALL' });
        return `Pattern.compile(${quote(plainQuotes(value.source), '"')}${flags})`;
      }
      if (typeof value === 'string') return quote(value, '"');
      return value?.role !== undefined ? `AriaRole.${snake(value.role).toUpperCase()}` : value?.code ?? String(value);
    },
    call({ method, value, options }, base) {
      const setters = options.map(([key, one]) => `.set${titled(key)}(${this.value(one)})`).join('');
      const args = [
        ...(value === undefined ? [] : [this.value(value)]),
        ...(setters ? [`new ${base}.${titled(method)}Options()${setters}`] : []),
      ];
      return `${method}(${args.join(', ')})`;
    },
  };

  const csharp = {
    value(value) {
      if (value instanceof RegExp) {
        const flags = flagsOf(value, 'RegexOptions', { i: 'IgnoreCase', m: 'Multiline', s: 'Singleline' });
        return `new Regex(${quote(plainQuotes(value.source), '"')}${flags})`;
      }
      if (typeof value === 'string') return quote(value, '"');
      return value?.role !== undefined ? `AriaRole.${titled(value.role)}` : value?.code ?? String(value);
    },
    call({ method, value, options }) {
      if (properties.has(method)) return titled(method);
      const entry = ([key, one]) => `${titled(key)}${one instanceof RegExp ? 'Regex' : ''} = ${this.value(one)}`;
      const bag = options.map(entry).join(', ');
      const args = [...(value === undefined ? [] : [this.value(value)]), ...(bag ? [`new() { ${bag} }`] : [])];
      return `${titled(method)}(${args.join(', ')})`;
    },
  };

  const languages = { javascript, python, java, csharp };

  // "text"s, "text"i, "text" or /text/i behind an engine: {text, exact}.
  const readText = body => {
    const [, source, flags] = /^\/(.*)\/([dgimsuvy]*)$/.exec(body) ?? [];
    if (source !== undefined) return { text: new RegExp(source, flags), exact: false };
    const [, quoted, flag] = /^([^]*")([is]?)$/.exec(body) ?? [];
    if (quoted === undefined) return { text: body, exact: false };
    return { text: JSON.parse(quoted), exact: flag !== 'i' };
  };

  const plain = (method, value, options = []) => ({ method, value, options });
  const byText = (method, text, exact) =>
    plain(method, text, exact && typeof text === 'string' ? [['exact', true]] : []);

  const roleCall = ({ body }) => {
    const { name, attributes } = troupe.parseAttributes(body);
    const texts = attributes.filter(one => one.name === 'name' || one.name === 'description');
    const kinds = new Set(texts.filter(one => typeof one.value === 'string').map(one => one.exact));
    if (kinds.size > 1) throw new Error(`Conflicting exactness in internal:role=${body}`);
    const last = key => texts.findLast(one => one.name === key);
    const states = attributes.filter(one => !texts.includes(one)).map(({ name: key, value }) => [
      key === 'include-hidden' ? 'includeHidden' : key,
      key === 'level' && typeof value === 'string' ? Number(value) : value,
    ]);
    const said = ['name', 'description'].filter(last).map(key => [key, last(key).value]);
    const isExact = kinds.has(true) && said.some(([, value]) => typeof value === 'string');
    return plain('getByRole', { role: name }, [...said, ...(isExact ? [['exact', true]] : []), ...states]);
  };

  const attributeMethods = { placeholder: 'getByPlaceholder', alt: 'getByAltText', title: 'getByTitle' };
  const attributeCall = ({ body }) => {
    const { name, value, exact } = troupe.parseAttributes(body).attributes[0];
    return attributeMethods[name] && byText(attributeMethods[name], value, exact);
  };

  const textCall = method => ({ body }) => {
    const { text, exact } = readText(body);
    return byText(method, text, exact);
  };
  // filter() does not support exact text; such a step stays a selector.
  const filterText = key => ({ body }) => {
    const { text, exact } = readText(body);
    return exact ? undefined : plain('filter', undefined, [[key, text]]);
  };
  const filterBy = key => ({ inner }, spell) => plain('filter', undefined, [[key, { code: spell(inner) }]]);
  const combine = method => ({ inner }, spell) => plain(method, { code: spell(inner) });

  const nthCall = ({ body }) =>
    body === '0' ? plain('first') : body === '-1' ? plain('last') : plain('nth', { code: body });
  const visibleCall = ({ body }) =>
    body === 'true' ? plain('visible') : plain('filter', undefined, [['visible', false]]);

  const calls = {
    nth: nthCall,
    visible: visibleCall,
    'internal:role': roleCall,
    'internal:text': textCall('getByText'),
    'internal:label': textCall('getByLabel'),
    'internal:attr': attributeCall,
    'internal:testid': ({ body }) => plain('getByTestId', troupe.parseAttributes(body).attributes[0].value),
    'internal:has-text': filterText('hasText'),
    'internal:has-not-text': filterText('hasNotText'),
    'internal:has': filterBy('has'),
    'internal:has-not': filterBy('hasNot'),
    'internal:and': combine('and'),
    'internal:or': combine('or'),
    'internal:chain': combine('locator'),
    'internal:control': ({ body }) => body === 'enter-frame' ? plain('contentFrame')
      : body === 'any-frame' ? plain('frameLocator') : undefined,
  };

  const spellChain = (chain, language) => {
    const spell = inner => spellChain(inner, language);
    let base = 'Page';
    const parts = [];
    for (const step of chain.steps) {
      if (step.engine !== 'internal:describe') {
        const call = calls[step.engine]?.(step, spell) ?? plain('locator', troupe.printSelector({ steps: [step] }));
        if (call.method === 'contentFrame' && !parts.length) throw new Error('no frame to enter');
        parts.push(language.call(call, base));
      }
      base = step.engine === 'internal:control' ? 'FrameLocator' : 'Locator';
    }
    return parts.join('.');
  };

  // A selector that cannot be expressed as code stays a selector.
  troupe.renderLocator = (selector, language = 'javascript') => {
    try {
      return spellChain(typeof selector === 'string' ? troupe.parseSelector(selector) : selector, languages[language]);
    } catch {
      return typeof selector === 'string' ? selector : troupe.printSelector(selector);
    }
  };
})(globalThis.troupe);
