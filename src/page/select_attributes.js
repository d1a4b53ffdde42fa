// The bodies of role=, internal:role=, internal:attr= and internal:testid=:
//
//   button[name="Save"i][level=2][checked]  ->  { name, attributes: {name, op, value, exact}[] }
//
// An attribute without a value has op 'truthy'; values are strings, regular expressions or booleans.
(troupe => {
  const operators = new Set(['=', '*=', '^=', '$=', '|=', '~=']);
  const isNameChar = char => /^[\w-]$/.test(char) || char >= '\u0080';

  class Reader {
    constructor(text) {
      this.text = text;
      this.at = 0;
    }

    get peek() {
      return this.text[this.at] ?? '';
    }
    get ended() {
      return this.at >= this.text.length;
    }
    take() {
      return this.text[this.at++] ?? '';
    }
    skipSpace() {
      while (/^\s$/.test(this.peek)) this.at++;
    }
    takeWhile(fits) {
      const from = this.at;
      while (!this.ended && fits(this.peek)) this.at++;
      return this.text.slice(from, this.at);
    }

    invalid(message) {
      return troupe.fail('INVALID_SELECTOR', message);
    }
    wrong(what) {
      return this.invalid(`Error while parsing selector \`${this.text}\`${what}`);
    }
    unexpected(during) {
      if (this.ended) return this.invalid(`Unexpected end of selector while parsing selector \`${this.text}\``);
      const when = during ? ` during ${during}` : '';
      return this.wrong(` - unexpected symbol "${this.peek}" at position ${this.at}${when}`);
    }

    identifier() {
      this.skipSpace();
      return this.takeWhile(isNameChar);
    }

    quoted() {
      const quote = this.take();
      let value = '';
      while (!this.ended && this.peek !== quote) {
        if (this.peek === '\\') this.at++;
        value += this.take();
      }
      if (this.peek !== quote) throw this.unexpected('parsing quoted string');
      this.at++;
      return value;
    }

    regex() {
      this.at++;
      let source = '';
      for (let inClass = false; !this.ended; source += this.take()) {
        if (this.peek === '\\') {
          source += this.take();
          if (this.ended) throw this.unexpected('parsing regular expression');
        } else if (this.peek === '[') {
          inClass = true;
        } else if (this.peek === ']') {
          inClass = false;
        } else if (this.peek === '/' && !inClass) {
          break;
        }
      }
      if (this.take() !== '/') throw this.unexpected('parsing regular expression');
      const flags = this.takeWhile(char => /[dgimsuvy]/.test(char));
      try {
        return new RegExp(source, flags);
      } catch (thrown) {
        throw this.wrong(`: ${thrown.message}`);
      }
    }

    pathPart() {
      this.skipSpace();
      const part = this.peek === '"' || this.peek === "'" ? this.quoted() : this.identifier();
      if (!part) throw this.unexpected('parsing property path');
      this.skipSpace();
      return part;
    }

    operator() {
      let op = this.take();
      if (op !== '=') op += this.take();
      if (!operators.has(op)) throw this.unexpected('parsing operator');
      return op;
    }

    value(op) {
      this.skipSpace();
      if (this.peek === '/') {
        if (op !== '=') throw this.wrong(` - cannot use ${op} in attribute with regular expression`);
        return { value: this.regex(), exact: true };
      }
      if (this.peek === '"' || this.peek === "'") {
        const value = this.quoted();
        this.skipSpace();
        const flag = this.peek.toLowerCase();
        if (flag === 'i' || flag === 's') this.at++;
        return { value, exact: flag !== 'i' };
      }
      const word = this.takeWhile(char => isNameChar(char) || char === '+' || char === '.');
      return { value: word === 'true' ? true : word === 'false' ? false : word, exact: true };
    }

    attribute() {
      this.at++;
      const path = [this.pathPart()];
      while (this.peek === '.') {
        this.at++;
        path.push(this.pathPart());
      }
      const name = path.join('.');
      if (this.peek === ']') {
        this.at++;
        return { name, op: 'truthy', value: null, exact: false };
      }
      const op = this.operator();
      const { value, exact } = this.value(op);
      this.skipSpace();
      if (this.peek !== ']') throw this.unexpected('parsing attribute value');
      this.at++;
      if (op !== '=' && typeof value !== 'string') {
        throw this.wrong(` - cannot use ${op} in attribute with non-string matching value - ${value}`);
      }
      return { name, op, value, exact };
    }

    selector() {
      const name = this.identifier();
      const attributes = [];
      this.skipSpace();
      while (this.peek === '[') {
        attributes.push(this.attribute());
        this.skipSpace();
      }
      if (!this.ended) throw this.unexpected();
      if (!name && !attributes.length) throw this.wrong(' - selector cannot be empty');
      return { name, attributes };
    }
  }

  troupe.parseAttributes = text => new Reader(text).selector();

  const comparisons = {
    '=': (actual, wanted) => actual === wanted,
    '*=': (actual, wanted) => actual.includes(wanted),
    '^=': (actual, wanted) => actual.startsWith(wanted),
    '$=': (actual, wanted) => actual.endsWith(wanted),
    '|=': (actual, wanted) => actual === wanted || actual.startsWith(`${wanted}-`),
    '~=': (actual, wanted) => actual.split(' ').includes(wanted),
  };

  // Whether a string satisfies an attribute of the selector.
  troupe.attributeFits = (actual, { op, value, exact }) => {
    if (op === 'truthy') return !!actual;
    if (value instanceof RegExp) {
      value.lastIndex = 0;
      return value.test(actual);
    }
    return exact ? comparisons[op](actual, value) : comparisons[op](actual.toUpperCase(), value.toUpperCase());
  };
})(globalThis.troupe);
