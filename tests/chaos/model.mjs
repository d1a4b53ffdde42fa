// What is known of one agent's session: what its calls made of it, and which of it may have been lost.
export class Model {
  constructor(name) {
    this.name = name;
    this.count = 0; // pages opened so far
    this.tabs = []; // {url, possible}: the page it shows, or any of these after something was killed
    this.current = -1;
    this.dialog = false;
    this.certain = false; // whether tabs and current are exactly as above
  }

  // The address of a page that nobody was at before.
  nextUrl(origin) {
    return `${origin}/page?owner=${this.name}&number=${++this.count}`;
  }

  opened(url) {
    if (this.current < 0 || !this.certain) {
      this.tabs = [{ url }];
      this.current = 0;
    } else {
      this.tabs[this.current] = { url };
    }
  }

  // A fault came during or before a call: the session is as it was at some moment before, or begins anew.
  doubt() {
    this.certain = false;
    this.dialog = false;
  }
}

const owners = /owner=(\w+)|page \S+ of (\w+)|hello (\w+)/g;
const cookies = /cookie: (\w+)/g;

// What an answer says of owners other than `name`; "none" is nobody's cookie. Sessions of one context share cookies.
export function strangers(text, name, isolation) {
  const said = [...text.matchAll(owners)].map(match => match[1] ?? match[2] ?? match[3]);
  const sent = isolation === 'shared' ? [] : [...text.matchAll(cookies)].map(match => match[1]);
  const found = [...said, ...sent];
  return found.filter(owner => owner !== name && owner !== 'none' && owner !== 'nobody');
}

export const addressIn = text => /^- Page URL: (\S+)/m.exec(text)?.[1];
