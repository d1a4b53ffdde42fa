// Which fields take a password, a code or the data of a card. What they hold stays in the page, the agent's own
// answers and its typing: it is not recorded, logged, traced or kept in a checkpoint.
(troupe => {
  const { attribute, tagOf, textContent } = troupe.dom;

  const holdsNoText = new Set(
    ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']);
  const tokens = /^(?:cc-.+|one-time-code|current-password|new-password)$/i;
  const names = new RegExp(
    'passw|passphrase|passcode|passwd|pwd|kennwort|contrase|wachtwoord|mot de passe|secret|token|api.?key|' +
    'one.?time|security.?code|verification.?code|card.?(?:number|no\\b)|' +
    '(?:^|[^a-z])(?:pw|pin|otp|totp|mfa|2fa|cvv|cvc|csc)(?:[^a-z]|$)', 'i');
  // userPin counts as user Pin.
  const isSecretName = text => !!text && (names.test(text) || names.test(text.replace(/([a-z])([A-Z])/g, '$1 $2')));

  const isField = element => {
    const tag = tagOf(element);
    return tag === 'INPUT' ? !holdsNoText.has(element.type) : tag === 'TEXTAREA';
  };

  // By its type, its autocomplete tokens, its accessible name and what its author calls it. `name` is its
  // accessible name, if the caller knows it.
  troupe.isSecretField = (element, name) => {
    const isInput = isField(element);
    if (!isInput && !element.isContentEditable) return false;
    if (isInput && element.type === 'password') return true;
    if (attribute(element, 'autocomplete')?.split(/\s+/).some(token => tokens.test(token))) return true;
    return ['name', 'id', 'aria-label', 'placeholder', 'title'].some(each => isSecretName(attribute(element, each))) ||
      isSecretName(name ?? troupe.name(element, true));
  };

  troupe.textOfField = element => (isField(element) ? element.value : textContent(element));
})(globalThis.troupe);
