// Overlays for viewers: chapter cards and action labels. They are not part of the page's own tree and let
// every pointer event through.
(troupe => {
  const { rectOf } = troupe.dom;

  // Shows a layer over the whole page, removed after `duration`.
  const show = (content, duration) => {
    const host = document.createElement('troupe-overlay');
    host.setAttribute('aria-hidden', 'true');
    host.setAttribute('popover', 'manual');
    const style = document.createElement('style');
    style.textContent = `:host { all: initial; position: fixed; inset: 0; width: auto; height: auto; border: 0;
      padding: 0; margin: 0; background: transparent; overflow: visible; pointer-events: none; z-index: 2147483647; }`;
    host.attachShadow({ mode: 'closed' }).append(style, ...content);
    document.documentElement.append(host);
    host.showPopover?.();
    setTimeout(() => host.remove(), duration);
  };

  const part = (css, ...content) => {
    const made = document.createElement('div');
    made.style.cssText = css;
    made.append(...content);
    return made;
  };

  troupe.showChapter = ({ title, description, duration }) => {
    const lines = [part('font-size: 40px; font-weight: 600;', title)];
    if (description) lines.push(part('margin-top: 16px; font-size: 20px; opacity: 0.85;', description));
    show([part(`position: fixed; inset: 0; display: flex; flex-direction: column; align-items: center;
      justify-content: center; text-align: center; padding: 40px; color: #fff; background: #000a;
      backdrop-filter: blur(8px); font-family: system-ui, sans-serif;`, ...lines)], duration);
  };

  const EDGES = {
    'top-left': 'top: 12px; left: 12px;',
    'top': 'top: 12px; left: 50%; transform: translateX(-50%);',
    'top-right': 'top: 12px; right: 12px;',
    'bottom-left': 'bottom: 12px; left: 12px;',
    'bottom': 'bottom: 12px; left: 50%; transform: translateX(-50%);',
    'bottom-right': 'bottom: 12px; right: 12px;',
  };
  let last = { x: 0, y: 0 };

  // A pointer that travels from the position of the last action.
  const pointer = (to, duration) => {
    const made = part(`position: fixed; width: 0; height: 0; border: 8px solid transparent; border-left: 12px solid #000;
      border-top: 12px solid #000; filter: drop-shadow(0 0 1px #fff);`);
    made.animate([{ left: `${last.x}px`, top: `${last.y}px` }, { left: `${to.x}px`, top: `${to.y}px` }],
      { duration: duration * 0.6, fill: 'forwards', easing: 'ease-out' });
    last = to;
    return made;
  };

  troupe.showAction = (element, { title, duration, position, cursor, styles }) => {
    const { x, y, width, height } = rectOf(element);
    const middle = { x: x + width / 2, y: y + height / 2 };
    const parts = [part(`position: fixed; ${EDGES[position]} padding: 6px 12px; border-radius: 6px; color: #fff;
      background: #000c; font: 16px system-ui, sans-serif; ${styles.title}`, title)];
    if (styles.highlight) {
      parts.push(part(`position: fixed; left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px;
        box-sizing: border-box; ${styles.highlight}`));
    }
    if (styles.point) {
      parts.push(part(`position: fixed; left: ${middle.x}px; top: ${middle.y}px; translate: -50% -50%; ${styles.point}`));
    }
    if (cursor) parts.push(pointer(middle, duration));
    show(parts, duration);
  };
})(globalThis.troupe);
