// Runs in the page's own world before its scripts, where rules keep pages from the network: tells which servers a page
// wants to find peers by. The browser lets none of that out and says nothing, so nobody else would hear of it.
// Everything else stays as the browser made it.
(() => {
  const tell = window.troupePeers;
  delete window.troupePeers;
  const native = window.RTCPeerConnection;
  if (!tell || !native) return;

  const isTunnel = url => /^turns?:/i.test(url) && /[?&]transport=tcp/i.test(url);
  const note = configuration => {
    try {
      const urls = [...(configuration?.iceServers ?? [])].flatMap(({ urls, url }) => urls ?? url ?? []);
      // What goes through the proxy is judged there.
      if (urls.length === 0 || !urls.every(isTunnel)) tell(urls.join(' '));
    } catch {
      tell('');
    }
  };
  const wrapped = new Proxy(native, {
    construct(target, args, newTarget) {
      const made = Reflect.construct(target, args, newTarget === wrapped ? target : newTarget);
      note(args[0]);
      return made;
    },
  });
  const { prototype } = native;
  prototype.constructor = wrapped;
  prototype.setConfiguration = new Proxy(prototype.setConfiguration, {
    apply(target, self, args) {
      const done = Reflect.apply(target, self, args);
      note(args[0]);
      return done;
    },
  });
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) {
    const property = Object.getOwnPropertyDescriptor(window, name);
    if (property) Object.defineProperty(window, name, { ...property, value: wrapped });
  }
})();
