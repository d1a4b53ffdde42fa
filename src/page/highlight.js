// Frames drawn around elements, for viewers. They follow their elements until they are hidden, are not part
// of the page's own tree, and let every pointer event through.
(troupe => {
  const { isConnected, rectOf } = troupe.dom;

  const shown = new Map(); // element -> { box, label }
  let host, root;

  const STYLE = `
    :host { all: initial; position: fixed; inset: 0; border: 0; padding: 0; margin: 0; width: auto; height: auto;
            background: transparent; overflow: visible; pointer-events: none; z-index: 2147483647; }
    .box { position: absolute; box-sizing: border-box; background-color: #6fa8dc7f; }
    .label { position: absolute; padding: 3px 6px; border-radius: 4px; background: #2b2b2b; color: #fff;
             font: 12px/1.4 monospace; white-space: pre; max-width: 600px; overflow: hidden; text-overflow: ellipsis; }`;

  const ensureHost = () => {
    if (host && isConnected(host)) return;
    host = document.createElement('troupe-overlay');
    host.setAttribute('aria-hidden', 'true');
    host.setAttribute('popover', 'manual');
    root = host.attachShadow({ mode: 'closed' });
    const style = document.createElement('style');
    style.textContent = STYLE;
    root.append(style);
    document.documentElement.append(host);
    host.showPopover?.(); // above the page's own dialogs
    for (const { box, label } of shown.values()) root.append(box, label);
  };

  const place = (element, { box, label }) => {
    const { x, y, width, height } = rectOf(element);
    const gone = !isConnected(element) || (!width && !height);
    box.hidden = label.hidden = gone;
    if (gone) return;
    for (const [name, value] of Object.entries({ left: x, top: y, width, height })) box.style[name] = `${value}px`;
    const below = y + height + 26 < innerHeight;
    label.style.left = `${Math.max(0, x)}px`;
    label.style.top = `${below ? y + height + 4 : Math.max(0, y - 26)}px`;
  };

  const follow = () => {
    if (!shown.size) return;
    ensureHost();
    for (const [element, parts] of shown) place(element, parts);
    requestAnimationFrame(follow);
  };

  const part = (name, text) => {
    const made = document.createElement('div');
    made.className = name;
    made.textContent = text;
    return made;
  };

  const remove = element => {
    const parts = shown.get(element);
    if (!parts) return;
    parts.box.remove();
    parts.label.remove();
    shown.delete(element);
  };

  troupe.highlight = (element, { label = '', style = '' } = {}) => {
    const isFirst = !shown.size;
    remove(element);
    const parts = { box: part('box', ''), label: part('label', label) };
    parts.box.style.cssText = style;
    shown.set(element, parts);
    ensureHost();
    root.append(parts.box, parts.label);
    place(element, parts);
    if (isFirst) requestAnimationFrame(follow);
  };

  // Hides the highlight of one element, or all without one.
  troupe.hideHighlight = element => {
    for (const each of element ? [element] : [...shown.keys()]) remove(each);
    if (!shown.size) host?.remove();
  };
})(globalThis.troupe);
