// Records a person's actions in a document as repeatable steps. Runs after the other scripts, in a world of
// its own. Only trusted events count, so that a page cannot forge steps; text typed into password fields and
// the like is never reported.
(troupe => {
  troupe.stopRecording?.(); // an earlier recording in the same document

  const { tagOf } = troupe.dom;
  const longestText = 65_536;
  const withPicker = new Set(['color', 'date', 'datetime-local', 'file', 'month', 'range', 'time', 'week']);
  const withoutText = new Set(['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);
  const onlyHeld = new Set(['Alt', 'AltGraph', 'Control', 'Dead', 'Meta', 'Process', 'Shift', 'Unidentified']);
  // Keys that choose among values; the field's input event reports the value.
  const choosing = /^(?:.|Arrow\w+|Page\w+|Home|End)$/u;
  const interactive = 'a[href], button, input, select, summary, textarea, [contenteditable]';
  const focusable = `html, body, audio, video, [tabindex], ${interactive}`;

  const targetOf = event => event.composedPath().find(node => node instanceof Element) ?? document.documentElement;
  const isInput = (element, test) => tagOf(element) === 'INPUT' && test(element.type);
  const isToggle = element => isInput(element, type => type === 'checkbox' || type === 'radio');
  const isMultiline = element => tagOf(element) === 'TEXTAREA' || element.isContentEditable;
  const takesText = element => isMultiline(element) || isInput(element, type => !withoutText.has(type));
  const isChooser = element =>
    tagOf(element) === 'SELECT' || isInput(element, type => withPicker.has(type) && type !== 'file');
  const hasPicker = element =>
    ['OPTION', 'SELECT'].includes(tagOf(element)) || isInput(element, type => withPicker.has(type));

  // The checkbox or radio button that a click on its label toggles; not one that only the label shows.
  const toggleOf = element => {
    const label = troupe.dom.closest(element, 'label');
    const inner = troupe.dom.closest(element, interactive);
    const control = label && !(inner && troupe.dom.contains(label, inner)) ? label.control : null;
    return control && isToggle(control) && troupe.isVisible(control) ? control : null;
  };

  const modifiersOf = event =>
    ['Alt', 'Control', 'Meta', 'Shift'].filter(name => event[`${name === 'Control' ? 'ctrl' : name.toLowerCase()}Key`]);
  // For a canvas the click position matters.
  const positionOf = (event, element) =>
    tagOf(element) === 'CANVAS' ? { position: { x: Math.round(event.offsetX), y: Math.round(event.offsetY) } } : {};

  // The placeholder for the text of a secret field; null for any other field. A password stays secret even
  // when the page shows it.
  const secrets = new WeakSet();
  const secretOf = element => {
    if (troupe.isSecretField(element)) secrets.add(element);
    if (!secrets.has(element)) return null;
    const [kind] = /cc-[a-z-]+|one-time-code/.exec(element.autocomplete ?? '') ?? ['password'];
    return kind.toUpperCase().replaceAll('-', '_');
  };

  troupe.startRecording = ({ language, testIdAttribute }, send) => {
    // Computed from here alone; the engine knows better, unless the frames around are gone before it has
    // asked them.
    const around = window === window.top ? ''
      : `iframe[${window.name ? 'name' : 'src'}=${JSON.stringify(window.name || location.href)}] >> internal:control=enter-frame >> `;
    let typing = null; // { element, place } of the text that is being typed

    const placeOf = element => {
      const selector = troupe.generateSelector(element, { testIdAttribute, noText: !!element.isContentEditable });
      return { selector, code: troupe.renderLocator(around + selector, language) };
    };
    const step = (name, element, more = {}) => {
      const place = typing?.element === element && name === 'fill' ? typing.place : placeOf(element);
      typing = name === 'fill' ? { element, place } : null;
      return { name, ...place, ...more };
    };
    const tell = (...what) => send(step(...what));

    const tellClick = (event, button) => {
      const element = targetOf(event);
      const count = button === 'right' ? 1 : event.detail;
      tell('click', element, { button, count, modifiers: modifiersOf(event), ...positionOf(event, element) });
    };

    // The element whose click comes next: labels and the space bar click on a person's behalf, and a page's
    // script can make a label do so as well.
    let expected = null;
    const expect = toggle => {
      expected = toggle;
      setTimeout(() => { expected = null; });
    };

    const onClick = event => {
      const element = targetOf(event);
      if (isToggle(element)) {
        if (event.detail || expected === element) tell(element.checked ? 'check' : 'uncheck', element);
        return;
      }
      // A click without a count comes from a key, which is reported itself.
      if (!event.detail || hasPicker(element)) return;
      const toggle = toggleOf(element);
      if (toggle) expect(toggle);
      else tellClick(event, 'left');
    };

    const onKeyDown = event => {
      const { key } = event;
      if (!key || onlyHeld.has(key) || event.isComposing) return;
      const element = targetOf(event);
      const isPlain = event.getModifierState('AltGraph') || !(event.ctrlKey || event.altKey || event.metaKey);
      if (isPlain && key === ' ' && isToggle(element)) return;
      if (isPlain && isChooser(element) && (choosing.test(key) || (tagOf(element) === 'SELECT' && key !== 'Tab'))) return;
      // Text typed or pasted into a field is reported by its input event.
      const isTyped = isPlain && (key.length === 1 || key === 'Backspace' || key === 'Delete');
      const isPaste = (key === 'v' && (event.ctrlKey || event.metaKey)) || (key === 'Insert' && event.shiftKey);
      if (takesText(element) && (isTyped || isPaste)) return;
      // The focused element is hidden in a shadow tree, and may be a password field.
      if (isTyped && !troupe.dom.matches(element, focusable)) throw new Error('typed out of sight');
      const press = step('press', element, { key, modifiers: modifiersOf(event) });
      const isNewLine = isPlain && key === 'Enter' && isMultiline(element);
      if (!isNewLine) send(press);
      // Not reported if the page cancels the key.
      else setTimeout(() => { if (event.defaultPrevented) send(press); });
    };

    const onInput = event => {
      const element = targetOf(event);
      if (isToggle(element)) return;
      if (tagOf(element) === 'SELECT')
        return tell('select', element, { values: [...element.selectedOptions].map(option => option.value) });
      if (isInput(element, type => type === 'file'))
        return tell('setFiles', element, { values: [...element.files].map(file => file.name) });
      if (tagOf(element) !== 'INPUT' && !isMultiline(element)) return;
      const secret = secretOf(element);
      if (secret) return tell('fill', element, { secret });
      const text = element.isContentEditable ? element.innerText : element.value;
      if (text.length > longestText) throw new Error('too much text');
      tell('fill', element, { text });
    };

    const listeners = {
      click: onClick,
      auxclick: event => { if (event.button === 1) tellClick(event, 'middle'); },
      contextmenu: event => { if (event.button === 2) tellClick(event, 'right'); },
      keydown: onKeyDown,
      keyup: event => { if (event.key === ' ' && isToggle(targetOf(event))) expect(targetOf(event)); },
      input: onInput,
    };
    const listen = event => {
      if (!event.isTrusted) return;
      try {
        listeners[event.type](event);
      } catch {
        send({ name: 'lost' });
      }
    };
    troupe.stopRecording = () => {
      for (const name of Object.keys(listeners)) window.removeEventListener(name, listen, true);
    };
    // Adds the listeners again where document.open() has removed them; adding one twice has no effect.
    troupe.resumeRecording = () => {
      for (const name of Object.keys(listeners)) window.addEventListener(name, listen, { capture: true, passive: true });
    };
    troupe.resumeRecording();
  };
})(globalThis.troupe);
