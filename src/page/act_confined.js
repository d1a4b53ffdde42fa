// Text into one field and nowhere else. Keys that the browser dispatches go to whatever has the focus when they
// arrive, which may be another element or somebody else's frame; a script of the field's own document cannot miss.
(troupe => {
  const { attribute, isConnected, rootOf } = troupe.dom;
  const execute = (command, text) => Document.prototype.execCommand.call(document, command, false, text);
  const isActive = control => rootOf(control).activeElement === control;
  // Commands do not ask the page first, as typing does.
  const permits = (control, text) => control.dispatchEvent(
    new InputEvent('beforeinput', { inputType: 'insertText', data: text, bubbles: true, cancelable: true, composed: true }));
  const lostFocus = 'something else took the focus';
  const refused = 'the element did not take the text';

  // In place of what the field holds. Nothing runs between the selection and the text but the field's own listeners.
  troupe.fillConfined = (element, value, options) => {
    const ready = troupe.fill(element, value, options);
    if (!ready.ok || !ready.needsInput) return ready;
    const control = troupe.retarget(element, 'control');
    if (value && !permits(control, value)) return { ok: true };
    if (!isActive(control)) return troupe.never(`${lostFocus}; no character was typed`);
    if (value ? !execute('insertText', value) : !execute('delete')) return troupe.never(`${refused}; no character was typed`);
    return { ok: true };
  };

  // One character, with the events of its key. Pages see that these are a script's, as `isTrusted` tells.
  troupe.typeConfined = (element, text) => {
    if (!isConnected(element)) return { reason: 'the element has left the page' };
    const control = troupe.retarget(element, 'control');
    if (!isActive(control)) return { reason: lostFocus };
    const send = type => control.dispatchEvent(
      new KeyboardEvent(type, { key: text, bubbles: true, cancelable: true, composed: true }));
    if (send('keydown') && send('keypress') && permits(control, text)) {
      if (!isConnected(control) || !isActive(control)) return { reason: lostFocus };
      if (!execute('insertText', text)) return { reason: refused };
    }
    send('keyup');
    return { ok: true };
  };

  const names = /passw|passphrase|passcode|pwd|kennwort|contrase|secret|token|api.?key|one.?time|(?:^|[^a-z])(?:pin|otp|mfa|2fa|cvv|cvc)(?:[^a-z]|$)/i;

  // Whether a field is for passwords or the like, by its type, its autocomplete or what it is called.
  troupe.takesPassword = element => {
    const control = troupe.retarget(element, 'control');
    return troupe.isSecretField(control)
      || ['name', 'id', 'aria-label', 'placeholder'].some(name => names.test(attribute(control, name) ?? ''));
  };

  // The same for what has the focus in this document; false where another document has it.
  troupe.focusTakesPassword = () => {
    if (!troupe.dom.inDocument.hasFocus()) return false;
    let at = troupe.dom.inDocument.active();
    for (let inner = at; inner; inner = troupe.dom.shadowOf(inner)?.activeElement) at = inner;
    return !!at && troupe.takesPassword(at);
  };
})(globalThis.troupe);
