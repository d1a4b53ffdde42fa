// Reads the state of elements for checks. Answers are those of act_states.js.
(troupe => {
  const { matches, textContent } = troupe.dom;

  troupe.inputValue = element => {
    const control = troupe.retarget(element, 'control');
    if (!matches(control, 'input, textarea, select')) {
      return troupe.never('Node is not an <input>, <textarea> or <select> element');
    }
    return { ok: true, value: control.value };
  };

  // Whether the element is a file input, or the label of one. Hidden inputs are accepted, too.
  troupe.fileInputReady = element => {
    const input = troupe.retarget(element, 'control');
    if (!matches(input, 'input[type=file]')) return troupe.never('Node is not an <input type=file> element');
    return { ok: true };
  };

  troupe.isChecked = element => {
    const answer = troupe.checkNow(element, ['checked']);
    return answer.error || answer.detached ? answer : { ok: true, checked: !!answer.ok };
  };

  // The whole text of the one descendant that shows `text`, null if there is none.
  troupe.textInside = (element, text, options) => {
    const selector = `internal:text=${JSON.stringify(text)}i`;
    const [found] = troupe.resolve(selector, { ...options, root: element, strict: true }).elements;
    return found ? textContent(found) : null;
  };
})(globalThis.troupe);
