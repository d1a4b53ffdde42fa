// Runs in the page's own world before its scripts, if rules restrict the network: reports the servers that a
// page uses to find WebRTC peers, and the host names of peers. The browser blocks these connections without
// any event, so no other part of the server would notice. Everything else stays unchanged.
(() => {
  const tell = window.troupePeers;
  delete window.troupePeers;
  const native = window.RTCPeerConnection;
  if (!tell || !native) return;

  const isTunnel = url => /^turns?:/i.test(url) && /[?&]transport=tcp/i.test(url);
  const note = configuration => {
    try {
      const urls = [...(configuration?.iceServers ?? [])].flatMap(({ urls, url }) => urls ?? url ?? []);
      // Connections through the proxy are judged there.
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
  const noteNames = text => {
    const hosts = [...String(text).matchAll(/candidate:\S+ \d+ \S+ \d+ (\S+)/g)].map(([, host]) => host);
    const names = hosts.filter(host => !/^[\d.]+$|:/.test(host));
    if (names.length > 0) tell(names.join(' '));
  };
  const { prototype } = native;
  prototype.constructor = wrapped;
  const watch = (name, noteArgument) => {
    prototype[name] = new Proxy(prototype[name], {
      apply(target, self, args) {
        const done = Reflect.apply(target, self, args);
        try {
          noteArgument(args[0]);
        } catch {}
        return done;
      },
    });
  };
  watch('setConfiguration', note);
  watch('addIceCandidate', candidate => noteNames(candidate?.candidate));
  watch('setRemoteDescription', description => noteNames(description?.sdp));
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) {
    const property = Object.getOwnPropertyDescriptor(window, name);
    if (property) Object.defineProperty(window, name, { ...property, value: wrapped });
  }
})();
