// Enters text into one field and nowhere else. Keys dispatched by the browser go to the element that has the
// focus on arrival, possibly another element or a third-party frame; a script in the field's own document
// cannot miss.
(troupe => {
  const { isConnected, rootOf } = troupe.dom;
  const execute = (command, text) => Document.prototype.execCommand.call(document, command, false, text);
  const isActive = control => rootOf(control).activeElement === control;
  // Unlike typing, document commands do not fire beforeinput.
  const permits = (control, text) => control.dispatchEvent(
    new InputEvent('beforeinput', { inputType: 'insertText', data: text, bubbles: true, cancelable: true, composed: true }));
  const lostFocus = 'something else took the focus';
  const refused = 'the element did not take the text';

  // Replaces the field's text. Only the field's own listeners run between the selection and the insertion.
  troupe.fillConfined = (element, value, options) => {
    const ready = troupe.fill(element, value, options);
    if (!ready.ok || !ready.needsInput) return ready;
    const control = troupe.retarget(element, 'control');
    if (value && !permits(control, value)) return { ok: true };
    if (!isActive(control)) return troupe.never(`${lostFocus}; no character was typed`);
    if (value ? !execute('insertText', value) : !execute('delete')) return troupe.never(`${refused}; no character was typed`);
    return { ok: true };
  };

  // Types one character with its key events. Their `isTrusted` is false, so pages can detect the script.
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

  troupe.takesPassword = element => troupe.isSecretField(troupe.retarget(element, 'control'));

  // What the focused element of this document holds, if it takes passwords; null also if another document has
  // the focus.
  troupe.focusedPassword = () => {
    if (!troupe.dom.inDocument.hasFocus()) return null;
    let at = troupe.dom.inDocument.active();
    for (let inner = at; inner; inner = troupe.dom.shadowOf(inner)?.activeElement) at = inner;
    return at && troupe.takesPassword(at) ? troupe.textOfField(troupe.retarget(at, 'control')) : null;
  };
})(globalThis.troupe);
