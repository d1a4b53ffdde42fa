// The document in the form of Playwright's trace viewer: [name, {attributes}, …children], texts unchanged.
// Scripts are left out, style sheets are inlined, and field values are kept in attributes that the viewer
// knows. Frames are separate trees, which the viewer finds by their names.
(troupe => {
  const SKIPPED = new Set(['SCRIPT', 'NOSCRIPT', 'TROUPE-OVERLAY']);
  let frameNames = []; // by index in window.frames

  const rulesOf = sheet => {
    try {
      return [...sheet.cssRules].map(rule => rule.cssText).join('\n');
    } catch {
      return null; // of another origin
    }
  };

  const shownValue = field => (troupe.isSecretField(field) ? '•'.repeat(field.value.length) : field.value);

  const fieldState = element => {
    if (element instanceof HTMLSelectElement) return {};
    if (element instanceof HTMLOptionElement) return element.selected ? { __playwright_selected_: 'true' } : {};
    if (element instanceof HTMLTextAreaElement) return { __playwright_value_: shownValue(element) };
    if (!(element instanceof HTMLInputElement)) return {};
    if (['checkbox', 'radio'].includes(element.type)) return { __playwright_checked_: String(element.checked) };
    if (element.type === 'file') return {};
    return { __playwright_value_: shownValue(element) };
  };

  const frameState = element => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const name = frameNames[troupe.frameIndex(element)];
    return {
      src: name ? `/snapshot/${name}` : '',
      __playwright_bounding_rect__: JSON.stringify({ left, top, right, bottom }),
    };
  };

  const attributesOf = element => {
    const attributes = {};
    const isFrame = ['IFRAME', 'FRAME'].includes(element.tagName);
    for (const { name, value } of element.attributes) {
      const isPassword = name === 'value' && troupe.isSecretField(element);
      if (isFrame && ['src', 'srcdoc', 'sandbox'].includes(name)) continue;
      attributes[name] = name.startsWith('on') || isPassword ? '' : value;
    }
    if (isFrame) Object.assign(attributes, frameState(element));
    if (element.scrollTop) attributes.__playwright_scroll_top_ = String(element.scrollTop);
    if (element.scrollLeft) attributes.__playwright_scroll_left_ = String(element.scrollLeft);
    return Object.assign(attributes, fieldState(element));
  };

  const childrenOf = node => [...node.childNodes].map(visit).filter(child => child !== null);

  const visit = node => {
    if (node.nodeType === Node.TEXT_NODE) return node.nodeValue;
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    const name = node.nodeName;
    if (SKIPPED.has(name.toUpperCase())) return null;
    const rules = node.sheet ? rulesOf(node.sheet) : null;
    if (rules !== null) return ['STYLE', {}, rules];
    const children = childrenOf(node);
    if (name === 'HEAD') children.unshift(['BASE', { href: document.baseURI }]);
    const { shadowRoot } = node;
    if (shadowRoot) {
      const adopted = shadowRoot.adoptedStyleSheets.map(sheet => ['STYLE', {}, rulesOf(sheet) ?? '']);
      children.unshift(['template', { __playwright_shadow_root_: 'true' }, ...adopted, ...childrenOf(shadowRoot)]);
    }
    return [name, attributesOf(node), ...children];
  };

  troupe.documentTree = (frames = []) => {
    frameNames = frames;
    return {
      url: document.URL,
      doctype: document.doctype?.name ?? null,
      html: troupe.pass(() => visit(document.documentElement)), // the names of fields share their labels
      viewport: { width: innerWidth, height: innerHeight },
    };
  };
})(globalThis.troupe);
