// Accessible descriptions and error messages.
(troupe => {
  const { attribute, has, byIds } = troupe.dom;
  const { entry, factsOf } = troupe.facts;
  const { textAlternative, newRun, referenced, DESCRIBED_BY } = troupe.names;

  const textOfReferences = (element, name, includeHidden) =>
    byIds(element, attribute(element, name)).map(target => {
      const facts = factsOf(target);
      return textAlternative(facts, referenced(DESCRIBED_BY, facts), newRun(includeHidden, null));
    });

  troupe.description = entry(({ element }, includeHidden = false) => {
    if (has(element, 'aria-describedby'))
      return troupe.flatten(textOfReferences(element, 'aria-describedby', includeHidden).join(' '));
    return troupe.flatten(attribute(element, 'aria-description') ?? attribute(element, 'title') ?? '');
  });

  // Only invalid elements have one.
  troupe.errorMessage = entry(({ element }) => {
    if (!troupe.invalid(element) && element.validity?.valid !== false) return '';
    return textOfReferences(element, 'aria-errormessage', false).map(troupe.flatten).join(' ').trim();
  });
})(globalThis.troupe);
