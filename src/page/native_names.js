// Step 2E of accname: names from native means as HTML-AAM and SVG-AAM define them: labels, legends, captions,
// alt, value, placeholder.
(troupe => {
  const { attribute, firstElementChild, nextElementSibling, rootOf, tagOf } = troupe.dom;
  const { factsOf } = troupe.facts;
  const { textAlternative, referenced, withReference, below, lend, LABELLED_BY, LABEL, NATIVE } =
    troupe.names;

  // element.labels walks the whole document on each call. One walk per pass serves all controls instead.
  let labelsByRoot = null;
  const forget = troupe.onPassStart;
  troupe.onPassStart = () => {
    forget();
    labelsByRoot = null;
  };

  const labelsOf = element => {
    const root = rootOf(element);
    labelsByRoot ??= new Map();
    let index = labelsByRoot.get(root);
    if (!index) {
      labelsByRoot.set(root, index = new Map());
      for (const label of root.querySelectorAll('label')) {
        const { control } = label;
        if (!control) continue;
        const labels = index.get(control);
        if (labels) labels.push(label);
        else index.set(control, [label]);
      }
    }
    return index.get(element) ?? [];
  };

  const textOfLabels = (labels, run) => labels
    .map(label => {
      const facts = factsOf(label);
      return textAlternative(facts, referenced(LABEL, facts), run);
    })
    .filter(text => text)
    .join(' ');

  const first = (facts, run, ...values) =>
    lend(values.find(value => value && value.trim()) ?? '', facts.element, run);

  const titleOf = ({ element }) => attribute(element, 'title');

  const childWithTag = (element, tag) => {
    let child = firstElementChild(element);
    while (child && tagOf(child) !== tag) child = nextElementSibling(child);
    return child;
  };

  const fromChild = (child, bit, how, run) => {
    const facts = factsOf(child);
    return textAlternative(facts, withReference(below(how), bit, facts), run);
  };

  // A form control: its labels, else its tooltip, else its placeholder.
  const HAS_PLACEHOLDER = new Set(['text', 'password', 'number', 'search', 'tel', 'email', 'url']);
  const nameOfControl = (facts, how, run, isLabelledBy) => {
    if (isLabelledBy) return undefined;
    const { element, tag } = facts;
    facts.seenBy = run.number;
    const labels = labelsOf(element);
    if (labels.length) return textOfLabels(labels, run);
    const title = titleOf(facts) || '';
    const takesPlaceholder = tag === 'TEXTAREA' || (tag === 'INPUT' && HAS_PLACEHOLDER.has(element.type));
    return lend(title || !takesPlaceholder ? title : attribute(element, 'placeholder'), element, run);
  };

  // Button-like inputs name themselves even if aria-labelledby yields nothing.
  const nameOfInput = (facts, how, run, isLabelledBy) => {
    const { element } = facts;
    const { type } = element;
    switch (type) {
      case 'button':
      case 'submit':
      case 'reset': {
        facts.seenBy = run.number;
        const usual = { submit: 'Submit', reset: 'Reset' }[type];
        return element.value.trim() || usual
          ? first(facts, run, element.value, usual) : lend(titleOf(facts), element, run);
      }
      case 'file':
      case 'image': {
        facts.seenBy = run.number;
        const labels = how & LABELLED_BY ? [] : labelsOf(element);
        if (labels.length) return textOfLabels(labels, run);
        if (type === 'file') return lend('Choose File', element, run);
        return first(facts, run, attribute(element, 'alt'), titleOf(facts), 'Submit');
      }
      default:
        return nameOfControl(facts, how, run, isLabelledBy);
    }
  };

  const nameOfButton = (facts, how, run, isLabelledBy) => {
    if (isLabelledBy) return undefined;
    facts.seenBy = run.number;
    const labels = labelsOf(facts.element);
    return labels.length ? textOfLabels(labels, run) : undefined;
  };

  const nameOfOutput = (facts, how, run, isLabelledBy) =>
    nameOfButton(facts, how, run, isLabelledBy) ??
    (isLabelledBy ? undefined : lend(titleOf(facts), facts.element, run));

  // A <fieldset> by its <legend>, a <figure> by its <figcaption>.
  const nameByChild = childTag => (facts, how, run, isLabelledBy) => {
    if (isLabelledBy) return undefined;
    facts.seenBy = run.number;
    const child = childWithTag(facts.element, childTag);
    return child ? fromChild(child, NATIVE, how, run) : lend(titleOf(facts), facts.element, run);
  };

  const nameOfTable = (facts, how, run) => {
    facts.seenBy = run.number;
    const caption = childWithTag(facts.element, 'CAPTION');
    if (caption) return fromChild(caption, NATIVE, how, run);
    return lend(attribute(facts.element, 'summary'), facts.element, run) || undefined;
  };

  const nameOfImage = (facts, how, run) => {
    facts.seenBy = run.number;
    const alt = attribute(facts.element, 'alt');
    return lend(alt && alt.trim() ? alt : titleOf(facts), facts.element, run);
  };

  const nameOfSvg = (facts, how, run) => {
    const { element, tag } = facts;
    facts.seenBy = run.number;
    const title = childWithTag(element, 'TITLE');
    if (title?.ownerSVGElement) return fromChild(title, LABELLED_BY, how, run);
    const link = tag === 'A' ? attribute(element, 'xlink:title') : null;
    return link && link.trim() ? lend(link, element, run) : undefined;
  };

  const BY_TAG = {
    AREA: nameOfImage, BUTTON: nameOfButton, FIELDSET: nameByChild('LEGEND'),
    FIGURE: nameByChild('FIGCAPTION'), IMG: nameOfImage, INPUT: nameOfInput, METER: nameOfControl,
    OUTPUT: nameOfOutput, PROGRESS: nameOfControl, SELECT: nameOfControl, SVG: nameOfSvg,
    TABLE: nameOfTable, TEXTAREA: nameOfControl,
  };
  Object.setPrototypeOf(BY_TAG, null);

  // undefined if the element has no such means, or they do not apply.
  troupe.nativeAlternative = (facts, how, run, isLabelledBy) => {
    const rule = BY_TAG[facts.tag];
    if (rule) return rule(facts, how, run, isLabelledBy);
    return facts.element.ownerSVGElement instanceof SVGElement ? nameOfSvg(facts, how, run) : undefined;
  };
})(globalThis.troupe);
