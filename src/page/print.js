// Prints items as lines of YAML.
(troupe => {
  const { rectOf } = troupe.dom;
  const { onlyText } = troupe.fold;
  const { yamlKey, yamlValue } = troupe;

  const MOST_SECRETS = 50;
  // Shorter ones would be found in other words too.
  const SHORTEST_SECRET = 4;

  // A YAML key may have 1024 characters; longer names are left out.
  const LONGEST_NAME = 900;

  class Printer {
    constructor({ depth, boxes }) {
      this.maxDepth = depth;
      this.boxes = boxes;
      this.lines = [];
      this.frames = [];
      this.secrets = [];
    }

    key(item, isPointer) {
      let key = item.role;
      if (item.name !== '' && item.name.length <= LONGEST_NAME) key += ' ' + JSON.stringify(item.name);
      key += item.states;
      if (item.isAriaHidden) key += ' [aria-hidden]';
      if (item.ref !== '') key += ` [ref=${item.ref}]`;
      if (isPointer) key += ' [cursor=pointer]';
      if (this.boxes) {
        const { x, y, width, height } = rectOf(item.facts.element);
        key += ` [box=${[x, y, width, height].map(value => Math.round(value)).join()}]`;
      }
      return item.name === '' ? key : yamlKey(key);
    }

    children(children, depth, indent, inPointer) {
      for (const child of children) {
        if (typeof child === 'string') this.lines.push(indent + '- text: ' + yamlValue(child));
        else this.item(child, depth, indent, inPointer);
      }
    }

    // Below a clickable item, cursors add no information.
    item(item, depth, indent, inPointer) {
      const isPointer = !inPointer && item.isPointer();
      const line = indent + '- ' + this.key(item, isPointer);
      const text = onlyText(item);
      const hasProperties = item.url !== undefined || item.placeholder !== undefined;
      if (item.secret !== '') this.secret(item, text, hasProperties ? '- text' : line.slice(Math.max(line.lastIndexOf(' ['), indent.length)));
      if (item.role === 'iframe' && item.ref !== '' && text === '') this.frame(item, depth, indent);
      if (text !== '' && !hasProperties) {
        this.lines.push(line + ': ' + yamlValue(text));
        return;
      }
      const isCut = this.maxDepth && depth === this.maxDepth && text === '';
      const children = isCut ? [] : item.children;
      if (!children.length && !hasProperties) {
        this.lines.push(line);
        return;
      }
      this.lines.push(line + ':');
      const inner = indent + '  ';
      if (item.url !== undefined) this.lines.push(inner + '- /url: ' + yamlValue(item.url));
      if (item.placeholder !== undefined)
        this.lines.push(inner + '- /placeholder: ' + yamlValue(item.placeholder));
      this.children(children, depth + 1, inner, inPointer || isPointer);
    }

    // A short text of a password field is told apart by what stands before it.
    secret({ secret }, text, before) {
      if (this.secrets.length >= MOST_SECRETS) return;
      const texts = [secret, text].filter(each => each.length >= SHORTEST_SECRET);
      if (text !== '' && text.length < SHORTEST_SECRET) texts.push(`${before}: ${yamlValue(text)}`);
      this.secrets.push(...new Set(texts));
    }

    frame(item, depth, indent) {
      this.frames.push({
        ref: item.ref,
        line: this.lines.length,
        indent: indent.length,
        depth: this.maxDepth ? this.maxDepth - depth - 1 : 0,
        index: frameIndex(item.facts.element),
      });
    }
  }

  // The index of an iframe's window in window.frames, -1 if it is not listed (shadow trees).
  const frameIndex = troupe.frameIndex = element => {
    const inner = element.contentWindow;
    for (let index = 0; inner && index < window.length; ++index)
      if (window[index] === inner) return index;
    return -1;
  };

  troupe.print = (root, options) => {
    const printer = new Printer(options);
    printer.children(root.children, 0, '', false);
    return { text: printer.lines.join('\n'), frames: printer.frames, secrets: printer.secrets };
  };
})(globalThis.troupe);
