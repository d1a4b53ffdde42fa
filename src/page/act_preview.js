// Formats an element as one line for errors and logs: <button id="save" class="big">Save</button>
(troupe => {
  const { firstChild, nextSibling, nodeType, nodeValue, textContent } = troupe.dom;
  const { get: readAttributes } = Object.getOwnPropertyDescriptor(Element.prototype, 'attributes');

  const closesItself = new Set([
    'AREA', 'BASE', 'BR', 'COL', 'COMMAND', 'EMBED', 'HR', 'IMG', 'INPUT', 'KEYGEN', 'LINK', 'MENUITEM', 'META',
    'PARAM', 'SOURCE', 'TRACK', 'WBR',
  ]);
  const needsNoValue = new Set(['checked', 'selected', 'disabled', 'readonly', 'multiple']);

  const oneLine = text => text.replaceAll('\n', '↵').replaceAll('\t', '⇆');

  // At most `limit` characters, the last one an ellipsis if something was cut.
  const shorten = (text, limit) => {
    if (text.length <= limit) return text;
    const characters = [...text];
    return characters.length > limit ? characters.slice(0, limit - 1).join('') + '…' : text;
  };

  const attributesOf = element => [...readAttributes.call(element)]
    .filter(({ name }) => name !== 'style')
    .map(({ name, value }) => !value && needsNoValue.has(name) ? ` ${name}` : ` ${name}="${value}"`)
    .sort((a, b) => a.length - b.length)
    .join('');

  // Text is shown if the element has no other content and the text consists of only a few nodes.
  const insideOf = element => {
    let count = 0;
    for (let child = firstChild(element); child; child = nextSibling(child)) {
      if (nodeType(child) !== Node.TEXT_NODE || ++count > 5) return '…';
    }
    return textContent(element);
  };

  troupe.preview = node => {
    if (nodeType(node) === Node.TEXT_NODE) return oneLine(`#text=${nodeValue(node)}`);
    const name = troupe.nodeName(node).toLowerCase();
    if (!troupe.isElement(node)) return oneLine(`<${name} />`);
    const attributes = shorten(attributesOf(node), 500);
    if (closesItself.has(troupe.nodeName(node))) return oneLine(`<${name}${attributes}/>`);
    return oneLine(`<${name}${attributes}>${shorten(insideOf(node), 50)}</${name}>`);
  };
})(globalThis.troupe);
