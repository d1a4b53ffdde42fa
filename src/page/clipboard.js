// A clipboard of one's own: what the browser's would have taken, and what a page does with what is pasted.
(troupe => {
  // The innermost element with the focus, through shadow roots and frames of this process.
  const focused = () => {
    let at = document.activeElement;
    for (;;) {
      let inner = null;
      try {
        inner = at?.shadowRoot?.activeElement ?? at?.contentDocument?.activeElement ?? null;
      } catch {
        // Another process's frame.
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

  // Whether the text is still to be put in: a page may take it by itself.
  troupe.offerPaste = text => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true });
    return (focused() ?? document).dispatchEvent(event);
  };
})(globalThis.troupe);
