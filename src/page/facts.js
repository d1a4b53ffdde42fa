// Facts about an element, computed once per pass: style, visibility, box.
//
// A pass is a stretch of synchronous work during which the page cannot change. troupe.pass(work) runs `work`
// in one; calls inside share their facts, calls outside get a pass of their own.
(troupe => {
  const { nodeType, parentElement, firstChild, nextSibling, attribute, rectOf, tagOf, shadowOf,
    slotOf, parentOrHost, closest, passesVisibilityCheck } = troupe.dom;

  // Fields are undefined until requested; the functions below fill them.
  class Facts {
    constructor(element) {
      this.element = element;
      this.tag = tagOf(element);
      this.style = getComputedStyle(element);
      this.display = this.style.display;  // '' when the element is not in the flat tree
      this.styleShows = undefined;
      this.cutOff = undefined;
      this.hidden = undefined;
      this.box = undefined;
      this.asksPseudo = undefined;
      this.before = undefined;
      this.after = undefined;
      this.replacement = undefined;
      this.role = undefined;
      this.seenBy = 0;
      this.ariaDisabled = undefined;
      this.walked = false;
      this.item = null;
    }
  }

  let known = null;

  const pass = work => {
    if (known) return work();
    known = new Map();
    troupe.onPassStart();
    try {
      return work();
    } finally {
      known = null;
    }
  };

  // Runs in a new pass that shares no facts, even inside another pass.
  const freshPass = work => {
    const outer = known;
    known = null;
    try {
      return pass(work);
    } finally {
      known = outer;
    }
  };

  const factsOf = element => {
    let facts = known.get(element);
    if (facts === undefined) known.set(element, facts = new Facts(element));
    return facts;
  };

  // Wraps a function of facts into one of an element, for callers that may be outside a pass.
  const entry = answer => (element, argument) => pass(() => {
    troupe.pseudoHints.enterTree(element);
    return answer(factsOf(element), argument);
  });

  // Rendered, and not `visibility: hidden`. Respects content-visibility and closed <details>.
  const styleShows = facts => facts.styleShows ??=
    passesVisibilityCheck(facts.element) && facts.style.visibility === 'visible';

  const textHasBox = text => {
    const range = new Range();
    range.selectNode(text);
    const rect = range.getBoundingClientRect();
    return rect.width > 0 && rect.height > 0;
  };

  const NO_BOX = { visible: false, inline: false };
  const BLOCK = { visible: true, inline: false };
  const INLINE = { visible: true, inline: true };
  const EMPTY_INLINE = { visible: false, inline: true };

  // Whether the element takes up space, and whether it flows with the text around it. An element that is
  // `display: contents` counts as its first visible child.
  const boxOf = facts => facts.box ??= measure(facts);
  const measure = facts => {
    if (facts.display === 'contents') {
      for (let child = firstChild(facts.element); child; child = nextSibling(child)) {
        const type = nodeType(child);
        if (type === 1 && boxOf(factsOf(child)).visible) return BLOCK;
        if (type === 3 && textHasBox(child)) return INLINE;
      }
      return NO_BOX;
    }
    if (!styleShows(facts)) return NO_BOX;
    const rect = rectOf(facts.element);
    const visible = rect.width > 0 && rect.height > 0;
    if (facts.display === 'inline') return visible ? INLINE : EMPTY_INLINE;
    return visible ? BLOCK : NO_BOX;
  };

  // As boxOf(facts).inline, without measuring.
  const isInline = facts =>
    facts.display === 'inline' ? styleShows(facts) : facts.display === 'contents' && boxOf(facts).inline;

  const neverExposed = tag =>
    tag === 'SCRIPT' || tag === 'STYLE' || tag === 'TEMPLATE' || tag === 'NOSCRIPT';

  // `display: none`, aria-hidden or not assigned to a slot, itself or an ancestor.
  const isCutOff = facts => {
    if (facts.cutOff !== undefined) return facts.cutOff;
    const { element } = facts;
    const parent = parentOrHost(element);
    return facts.cutOff =
      facts.display === 'none' ||
      attribute(element, 'aria-hidden')?.toLowerCase() === 'true' ||
      (parent !== null && shadowOf(parent) !== null && parentElement(element) === parent &&
        !slotOf(element)) ||
      (parent !== null && isCutOff(factsOf(parent)));
  };

  // Excluded from the accessibility tree. `display: contents` elements count by their children; the options
  // of a <select> and slots are never painted themselves, so only isCutOff counts.
  const isHidden = facts => facts.hidden ??= computeHidden(facts);
  const computeHidden = facts => {
    const { element, tag } = facts;
    if (neverExposed(tag)) return true;
    if (tag !== 'SLOT') {
      if (facts.display === 'contents') {
        for (let child = firstChild(element); child; child = nextSibling(child)) {
          const type = nodeType(child);
          if (type === 1 && !isHidden(factsOf(child))) return false;
          if (type === 3 && textHasBox(child)) return false;
        }
        return true;
      }
      const inSelect = tag === 'OPTION' && closest(element, 'select');
      if (!inSelect && !styleShows(facts)) return true;
    }
    return isCutOff(facts);
  };

  const acceptsPointer = facts => facts.style.pointerEvents !== 'none';
  const showsPointer = facts => facts.style.cursor === 'pointer';

  troupe.facts = {
    factsOf, freshPass, entry, boxOf, isInline, isHidden, neverExposed, acceptsPointer, showsPointer,
  };
  troupe.pass = pass;
  troupe.isHiddenForAria = entry(isHidden);
  troupe.isVisible = entry(facts => boxOf(facts).visible);
})(globalThis.troupe);
