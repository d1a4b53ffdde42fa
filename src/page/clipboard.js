// A clipboard per context: the text that a copy would take, and how a page handles pasted text.
(troupe => {
  // The innermost focused element, through shadow roots and frames of this process.
  const focused = () => {
    let at = document.activeElement;
    for (;;) {
      let inner = null;
      try {
        inner = at?.shadowRoot?.activeElement ?? at?.contentDocument?.activeElement ?? null;
      } catch {
        // A frame of another process.
      }
      if (!inner) return at;
      at = inner;
    }
  };

  troupe.selectedText = () => {
    const at = focused();
    const start = at?.selectionStart;
    if (typeof start === 'number') return at.value.slice(start, at.selectionEnd);
    return String((at?.ownerDocument ?? document).defaultView.getSelection() ?? '');
  };

  // Whether the caller must still insert the text: a page may handle the paste itself.
  troupe.offerPaste = text => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
    return (focused() ?? document).dispatchEvent(event);
  };
})(globalThis.troupe);
