// Is an element ready to be acted on? Every question is answered with one of
//
//   { ok: true, … }                 yes
//   { retry: true, reason }         not yet; ask again until the deadline, then give the reason
//   { error: { code, message } }    never: waiting will not help
//
// A detached element is {retry, detached}: find it anew before asking again.
(troupe => {
  const { closest, isConnected, matches, rectOf } = troupe.dom;

  const ok = { ok: true };
  const notYet = reason => ({ retry: true, reason });
  troupe.notYet = notYet;
  troupe.never = message => ({ error: { code: 'ELEMENT_NOT_INTERACTIVE', message } });
  troupe.detached = () => ({ retry: true, detached: true, reason: 'element was detached from the DOM' });

  const buttons = 'button, [role=button], [role=checkbox], [role=radio]';
  const buttonsAndLinks = 'button, [role=button], a, [role=link]';
  const isField = element => matches(element, 'input, textarea, select') || element.isContentEditable;

  // The element that is meant: 'control' goes from inside a button or label to the control, 'box' only to the
  // button, 'link' to the button or link.
  troupe.retarget = (element, purpose) => {
    const around = closest(element, purpose === 'link' ? buttonsAndLinks : buttons);
    const target = isField(element) ? element : around ?? element;
    if (purpose !== 'control' || isField(target) || matches(target, `${buttons}, ${buttonsAndLinks}`)) return target;
    return closest(target, 'label')?.control ?? target;
  };

  const notEditable = 'Element is not an <input>, <textarea>, <select> or [contenteditable] '
    + 'and does not have a role allowing [aria-readonly]';
  const notCheckable = 'Not a checkbox or radio button';

  // Each returns true or false, or a string with the reason why there is no answer.
  const checkedState = (control, wanted) => {
    const checked = troupe.checked(control);
    if (checked === undefined) return notCheckable;
    if (wanted === 'mixed') return checked === 'mixed';
    const isChecked = control.type === 'checkbox' || control.type === 'radio' ? control.checked : checked === true;
    return isChecked === wanted;
  };
  const states = {
    visible: element => troupe.isVisible(element),
    hidden: element => !troupe.isVisible(element),
    enabled: element => !troupe.disabled(troupe.retarget(element, 'control')),
    disabled: element => troupe.disabled(troupe.retarget(element, 'control')),
    editable: element => {
      const control = troupe.retarget(element, 'control');
      const readonly = troupe.readonly(control);
      return readonly === undefined ? notEditable : !readonly && !troupe.disabled(control);
    },
    checked: element => checkedState(troupe.retarget(element, 'control'), true),
    unchecked: element => checkedState(troupe.retarget(element, 'control'), false),
    indeterminate: element => checkedState(troupe.retarget(element, 'control'), 'mixed'),
  };

  // Checks states without waiting. `frameVisible: false` is for elements in a hidden frame.
  troupe.checkNow = (element, wanted, { frameVisible = true } = {}) => troupe.during(() => {
    for (const state of wanted) {
      if (!isConnected(element)) return state === 'hidden' ? ok : troupe.detached();
      if (state === 'visible' && !frameVisible) return notYet('element is not visible');
      const answer = states[state](element);
      if (typeof answer === 'string') return troupe.never(answer);
      if (!answer) return notYet(`element is not ${state}`);
    }
    return ok;
  });

  const kFrameLimit = 100;

  const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

  const isAnimated = document => {
    const animations = document.getAnimations?.() ?? [];
    return animations.some(({ playState, pending }) => pending || playState === 'running');
  };

  // Stable means the same box now and in the next animation frame. An element stands still in the first frame
  // of its animation, so during animations both boxes are measured in frames.
  const checkStable = async element => {
    if (isAnimated(element.ownerDocument)) await troupe.nextFrame(kFrameLimit);
    if (!isConnected(element)) return troupe.detached();
    const before = rectOf(troupe.retarget(element, 'box'));
    await troupe.nextFrame(kFrameLimit);
    if (!isConnected(element)) return troupe.detached();
    return sameBox(before, rectOf(troupe.retarget(element, 'box'))) ? ok : notYet('element is not stable');
  };

  // Checks states, waiting a frame or two if 'stable' is one of them. Names: visible, hidden, enabled, disabled,
  // editable, checked, unchecked, indeterminate, stable.
  troupe.checkStates = async (element, wanted, options) => {
    if (wanted.includes('stable')) {
      const stable = await checkStable(element);
      if (!stable.ok) return stable;
    }
    return troupe.checkNow(element, wanted.filter(state => state !== 'stable'), options);
  };
})(globalThis.troupe);
