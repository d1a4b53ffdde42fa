// The clues (locate_clues.js) that an element offers, in the order in which equal scores are preferred.
(troupe => {
  const { attribute } = troupe.dom;
  const {
    scores, exactCost, cssQuote, shorter, looksRandom,
    cssClue, attributeClue, attributeClues, textClue, labelClue, roleClue, withText, withWholeText,
  } = troupe.clueParts;

  const longestText = 80;
  const tagsWithAlt = new Set(['APPLET', 'AREA', 'IMG', 'INPUT']);
  const tagsWithName = new Set([
    'BUTTON', 'FORM', 'FIELDSET', 'FRAME', 'IFRAME', 'INPUT', 'KEYGEN', 'OBJECT', 'OUTPUT', 'SELECT', 'TEXTAREA',
    'MAP', 'META', 'PARAM',
  ]);
  const fields = new Set(['INPUT', 'TEXTAREA', 'SELECT']);
  const testIdNames = ['data-testid', 'data-test-id', 'data-test'];

  const usefulRole = element => {
    const role = troupe.role(element);
    return role === 'none' || role === 'presentation' ? null : role;
  };

  const attributeTexts = element => {
    const title = attribute(element, 'title');
    const alt = tagsWithAlt.has(troupe.nodeName(element)) && attribute(element, 'alt');
    return [
      ...(title ? attributeClues('title', title, scores.title, true) : []),
      ...(alt ? attributeClues('alt', alt, scores.alt, true) : []),
    ];
  };

  const contentTexts = (element, text, isTarget) => {
    if (!text) return [];
    const tag = cssClue(troupe.tagCss(element), scores.tag);
    const found = [];
    if (isTarget) {
      if (text.length <= longestText) found.push(textClue(text, true, scores.text + exactCost));
      for (const one of shorter(text)) found.push(textClue(one.text, false, scores.text - one.bonus));
    }
    for (const one of shorter(text)) found.push(withText(tag, one));
    if (isTarget && text.length <= longestText) found.push(withWholeText(tag, text));
    return found;
  };

  // Icon fonts use private-use characters; such a name is useless.
  const isIcon = name => /^\p{Co}+$/u.test(name);

  const namedRole = (role, name, description) => {
    const clue = (wanted, score) => roleClue(role, wanted, scores.roleAndName + score);
    const found = [clue({ name, exact: true }, exactCost)];
    for (const one of shorter(name)) found.push(clue({ name: one.text }, -one.bonus));
    if (!description) return found;
    found.push(clue({ name, description, exact: true }, exactCost + 1));
    for (const one of shorter(name)) found.push(clue({ name: one.text, description }, 1 - one.bonus));
    return found;
  };

  const roleTexts = (element, text, isTarget, noText) => {
    const role = usefulRole(element);
    if (!role) return [];
    const readable = ({ text: own, fromContent }) => noText && fromContent ? '' : own;
    const name = readable(troupe.nameAndSource(element));
    const description = readable(troupe.describe(element));
    if (name && !isIcon(name)) return namedRole(role, name, description);
    const bare = roleClue(role, {}, scores.role);
    return [
      ...(description ? [roleClue(role, { description, exact: true }, scores.role + 1)] : []),
      ...(text ? shorter(text).map(one => withText(bare, one)) : []),
      ...(!noText && isTarget && text.length <= longestText ? [withWholeText(bare, text)] : []),
    ];
  };

  const textual = (element, { isTarget, noText }) => {
    if (troupe.nodeName(element) === 'SELECT') return [];
    const text = noText ? '' : troupe.squeeze(troupe.textOf(element));
    return [
      ...(noText ? [] : attributeTexts(element)),
      ...contentTexts(element, text, isTarget),
      ...roleTexts(element, text, isTarget, noText),
    ].map(one => ({ ...one, textual: true }));
  };

  const byTestIdCss = (element, name, score) =>
    attribute(element, name) ? [cssClue(`[${name}=${cssQuote(attribute(element, name))}]`, score)] : [];

  const byCss = (element, testIds) => {
    const id = attribute(element, 'id');
    return [
      ...testIdNames.filter(name => !testIds.includes(name))
        .flatMap(name => byTestIdCss(element, name, scores.otherTestId)),
      ...(id && !looksRandom(id) ? [cssClue(troupe.idCss(id), scores.id)] : []),
      cssClue(troupe.tagCss(element), scores.tag),
    ];
  };

  // Frames are entered with frameLocator(), which takes CSS only.
  const forFrame = (element, testIds) => [
    ...['name', 'title'].filter(name => attribute(element, name)).map(name =>
      cssClue(`${troupe.tagCss(element)}[${name}=${cssQuote(attribute(element, name))}]`, scores.frameAttribute)),
    ...testIds.flatMap(name => byTestIdCss(element, name, scores.testId)),
  ];

  const byLabel = (element, noText) => troupe.labelTexts(element, noText).map(troupe.squeeze).flatMap(text => [
    labelClue(text, true, scores.label + exactCost),
    ...shorter(text).map(one => labelClue(one.text, false, scores.label - one.bonus)),
  ]);

  const byInputAttributes = element => {
    const tag = troupe.nodeName(element);
    const type = attribute(element, 'type');
    const found = [];
    const tagName = troupe.tagCss(element);
    const css = name => cssClue(`${tagName}[${name}=${cssQuote(attribute(element, name))}]`, scores.inputAttribute);
    if (attribute(element, 'name') && tagsWithName.has(tag)) found.push(css('name'));
    if (type === 'hidden') return found;
    if (type && (tag === 'INPUT' || tag === 'TEXTAREA')) found.push(css('type'));
    if (fields.has(tag)) found.push(cssClue(tagName, scores.inputAttribute + 1));
    return found;
  };

  const untextual = (element, { noText, testIds }) => {
    const css = byCss(element, testIds);
    const tag = troupe.nodeName(element);
    if (tag === 'IFRAME' || tag === 'FRAME') return [...css, ...forFrame(element, testIds)];
    const placeholder = tag === 'INPUT' || tag === 'TEXTAREA' ? element.placeholder : '';
    const role = usefulRole(element);
    return [
      ...css,
      ...testIds.filter(name => attribute(element, name))
        .map(name => attributeClue('internal:testid', name, attribute(element, name), true, scores.testId)),
      ...(placeholder ? attributeClues('placeholder', placeholder, scores.placeholder) : []),
      ...byLabel(element, noText),
      ...(role ? [roleClue(role, {}, scores.role)] : []),
      ...byInputAttributes(element),
    ].map(one => ({ ...one, textual: false }));
  };

  // The cost of a list of tokens: early ones count more, because the later ones depend on them.
  troupe.weigh = tokens => tokens.reduce((sum, { score }, index) => sum + score * (tokens.length - index), 0);

  // All clues of an element, best first. `isTarget`: of the element itself and not of a parent used to find
  // it; `noText`: leave out text that the element contains.
  troupe.cluesFor = (element, options) => [...textual(element, options), ...untextual(element, options)]
    .map(one => ({ ...one, weight: troupe.weigh(one.tokens) }))
    .sort((a, b) => a.weight - b.weight);
})(globalThis.troupe);
