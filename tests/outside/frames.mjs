// An independent WebSocket client of an editor's port (npm's ws), which hangs up at the first frame that is no UTF-8.
// Usage: node frames.mjs MODULES PORT TOKEN FILE
// Its requests go out in fragments of one byte. It prints a line when it is told a selection, then ends at the end of
// stdin with one JSON object: how many frames came, the code with which the server hung up (null), every tool's text.
import { createRequire } from 'node:module';
import { once } from 'node:events';

const [modules, port, token, file] = process.argv.slice(2);
const { WebSocket } = createRequire(`${modules}/`)('ws');
const socket = new WebSocket(`ws://127.0.0.1:${port}/`, 'mcp', {
  headers: { 'X-Claude-Code-Ide-Authorization': token }, perMessageDeflate: true,
});
const waiting = new Map();
let frames = 0;
let fault = null;
let hungUp = null;
socket.on('error', (error) => { fault = String(error); });
socket.on('close', (code) => { hungUp = code; });
socket.on('message', (data, isBinary) => {
  frames += 1;
  if (isBinary) fault = 'a binary frame';
  const message = JSON.parse(data.toString('utf8'));
  if (message.method === 'selection_changed') console.log(JSON.stringify(message.params.text));
  waiting.get(message.id)?.(message);
});

function send(message) {
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  for (let at = 0; at < bytes.length; at += 1) {
    socket.send(bytes.subarray(at, at + 1), { binary: false, compress: false, fin: at === bytes.length - 1 });
  }
}

let requests = 0;
function ask(method, params = {}) {
  requests += 1;
  const id = requests;
  send({ id, method, params });
  return new Promise((resolve) => { waiting.set(id, resolve); });
}

await once(socket, 'open');
const info = { name: 'frames', version: '1' };
await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
send({ method: 'notifications/initialized' });
const { tools } = (await ask('tools/list')).result;
process.stdin.resume();
await once(process.stdin, 'end');

const seen = {};
const asked = { filePath: file, uri: file, startText: '😀' };
const waitsForThePerson = ['openDiff', 'executeCode'];
for (const { name, inputSchema } of tools.filter((tool) => !waitsForThePerson.includes(tool.name))) {
  const given = Object.entries(asked).filter(([key]) => key in inputSchema.properties);
  const answer = await ask('tools/call', { name, arguments: Object.fromEntries(given) });
  seen[name] = answer.result?.content[0].text ?? answer.error.message;
}
seen.buffer = (await ask('resources/read', { uri: 'vim://buffer/current' })).result.contents[0].text;
console.log(JSON.stringify({ frames, fault, hungUp, protocol: socket.protocol, seen }));
socket.close();
