// Fills text into fields: which fields can be filled how, and everything but the key strokes.
(troupe => {
  const { isConnected, rootOf, tagOf } = troupe.dom;

  const typedInto = new Set(['', 'email', 'number', 'password', 'search', 'tel', 'text', 'url']);
  const setAsValue = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week']);
  const notFillable = 'Element is not an <input>, <textarea> or [contenteditable] element';

  const announce = element => {
    element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    element.dispatchEvent(new Event('change', { bubbles: true }));
  };
  troupe.announceChange = announce;

  // How an element takes text: {ok, kind: 'type'} by input events over a selection, {ok, kind: 'value'} by
  // setting it (dates, colours, ranges), or {error}.
  troupe.fillKind = element => {
    const control = troupe.retarget(element, 'control');
    const tag = tagOf(control);
    if (tag === 'INPUT') {
      const type = control.type.toLowerCase();
      if (setAsValue.has(type)) return { ok: true, kind: 'value' };
      if (!typedInto.has(type)) return troupe.never(`Input of type "${type}" cannot be filled`);
      return { ok: true, kind: 'type' };
    }
    return tag === 'TEXTAREA' || control.isContentEditable ? { ok: true, kind: 'type' } : troupe.never(notFillable);
  };

  const setValue = (input, value) => {
    input.focus();
    input.value = value;
    if (input.value !== value) return troupe.never('Malformed value');
    announce(input);
    return { ok: true, needsInput: false };
  };

  // Prepares a field for `value`. {ok, needsInput: true} means: everything is selected, now insert the text
  // (or press Delete if it is empty); false means that the value is already set.
  troupe.fill = (element, value, { force, ...options } = {}) => {
    if (!isConnected(element)) return troupe.detached();
    if (!force) {
      const ready = troupe.checkNow(element, ['visible', 'enabled', 'editable'], options);
      if (!ready.ok) return ready;
    }
    const kind = troupe.fillKind(element);
    if (!kind.ok) return kind;
    const control = troupe.retarget(element, 'control');
    const trimmed = value.trim();
    if (control.type === 'number' && Number.isNaN(Number(trimmed))) {
      return troupe.never('Cannot type text into input[type=number]');
    }
    if (kind.kind === 'value') return setValue(control, control.type === 'color' ? trimmed.toLowerCase() : trimmed);
    troupe.selectText(control);
    return { ok: true, needsInput: true };
  };

  // Selects all text of a field, or of any other element, and focuses it.
  troupe.selectText = element => {
    if (!isConnected(element)) return troupe.detached();
    const control = troupe.retarget(element, 'control');
    const tag = tagOf(control);
    if (tag === 'INPUT') {
      control.select();
      control.focus();
    } else if (tag === 'TEXTAREA') {
      control.selectionStart = 0;
      control.selectionEnd = control.value.length;
      control.focus();
    } else {
      control.focus();
      const range = document.createRange();
      range.selectNodeContents(control);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }
    return { ok: true };
  };

  const hasFocus = element => rootOf(element).activeElement === element && troupe.dom.inDocument.hasFocus();

  // Focuses an element for key strokes. With `caretToStart`, an input that had no focus gets its caret at the
  // start, where pressing keys one by one begins.
  troupe.focus = (element, { caretToStart } = {}) => {
    if (!isConnected(element)) return troupe.detached();
    const hadFocus = hasFocus(element);
    element.focus();
    if (caretToStart && !hadFocus && tagOf(element) === 'INPUT') {
      try {
        element.setSelectionRange(0, 0);
      } catch {
        // Number inputs and the like do not allow setting the caret.
      }
    }
    return { ok: true };
  };

  // Focuses an element that is ready to be typed into, with the caret at the end of its content.
  troupe.beginTyping = (element, options) => {
    if (!isConnected(element)) return troupe.detached();
    const ready = troupe.checkNow(element, ['visible', 'enabled', 'editable'], options);
    if (!ready.ok) return ready;
    const control = troupe.retarget(element, 'control');
    control.focus();
    try {
      control.setSelectionRange?.(control.value.length, control.value.length);
    } catch {
      // In number inputs and the like the caret cannot be set, only moved.
      getSelection().modify('move', 'forward', 'documentboundary');
    }
    if (control.isContentEditable) {
      getSelection().selectAllChildren(control);
      getSelection().collapseToEnd();
    }
    return { ok: true };
  };

  troupe.blur = element => {
    if (!isConnected(element)) return troupe.detached();
    element.blur();
    return { ok: true };
  };
})(globalThis.troupe);
