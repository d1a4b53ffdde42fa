// Drops files and data on an element, as if dragged from outside the browser.
(troupe => {
  const { isConnected } = troupe.dom;

  const toFile = ({ name, mimeType = 'application/octet-stream', base64, lastModified }) => {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
    return new File([bytes], name, { type: mimeType, lastModified });
  };

  const refused = 'Drop target did not accept the drop — its dragover handler did not call preventDefault()';

  // `files`: {name, mimeType, base64, lastModified}[]; `data`: {mimeType, value}[]. A target accepts a drop
  // by cancelling dragover; otherwise it gets dragleave.
  troupe.dispatchDrop = (element, { files = [], data = [] }, point) => {
    if (!isConnected(element)) return troupe.detached();
    const dataTransfer = new DataTransfer();
    for (const file of files) dataTransfer.items.add(toFile(file));
    for (const { mimeType, value } of data) dataTransfer.setData(mimeType, value);
    const place = { clientX: point.x, clientY: point.y };
    const init = { bubbles: true, cancelable: true, composed: true, ...place, dataTransfer };
    const send = type => element.dispatchEvent(new DragEvent(type, init));
    send('dragenter');
    const accepted = !send('dragover');
    send(accepted ? 'drop' : 'dragleave');
    return accepted ? { ok: true } : troupe.never(refused);
  };
})(globalThis.troupe);
